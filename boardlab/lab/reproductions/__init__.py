"""Published tables and figures, made again: each is a sweep (`data/reproductions`) with the values that were printed
(`data/published`). `published` reads these, `comparison` holds ours against them, `reproduce` does it all."""
