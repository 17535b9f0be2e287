"""What runs on students' machines."""
