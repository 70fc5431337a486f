"""Games: live ones between people and agents, and those that have been stored."""
