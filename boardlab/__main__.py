"""`python -m boardlab` is the command `boardlab`."""

from boardlab.cli.main import main

if __name__ == "__main__":
    main()
