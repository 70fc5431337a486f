"""The agents, one file each. They are found by the registry; nothing has to be listed here."""
