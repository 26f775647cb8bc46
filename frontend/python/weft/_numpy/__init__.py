"""What NumPy answers for us, and its own names over ours."""
