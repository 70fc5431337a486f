"""N-tuple networks: creation of tuples, indexing, look-up tables, values."""
