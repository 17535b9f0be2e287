"""`python -m autograder` runs the command also where another program of that name comes first on the PATH."""

from autograder.cli import main

main()
