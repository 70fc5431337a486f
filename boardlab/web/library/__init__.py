"""What a client can choose: games, registered agents, agent files, and the forms of their parameters."""
