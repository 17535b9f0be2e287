"""Run untrusted code, get data back."""
