"""How balanced a game is, for people who design games: `boardlab balance GAME` and `measure_balance`."""
