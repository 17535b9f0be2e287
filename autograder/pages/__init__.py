"""The pages that people read, and the files of a class."""
