PK"""Is a zip archive by its first bytes; code of it running would show that it worked."""
