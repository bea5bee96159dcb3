"""`python -m daemon` is the command `floorcall`."""

from daemon.cli import main

if __name__ == "__main__":
    main()
