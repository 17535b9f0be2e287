"""The page that a student reads of one result; it ships to students, and graders' pages build on it."""
