"""Learning algorithms: which value a position learns, and from which move on."""
