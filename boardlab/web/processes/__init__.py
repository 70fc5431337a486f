"""What runs outside the server: the main functions of its processes, and what only they import."""
