"""The command line: `main` declares the commands, each of the other modules carries out one of them."""
