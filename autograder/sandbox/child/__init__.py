"""Everything that is ever beside student code, and nothing else."""
