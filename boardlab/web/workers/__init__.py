"""The pool of processes in which agents think, as the server sees it."""
