"""One module for each learning platform: it reads the names in the platform's export and writes the sheet it takes back."""
