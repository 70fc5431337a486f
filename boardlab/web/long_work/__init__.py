"""Work that takes minutes or hours, in processes of its own: what trainings and matches have in common."""
