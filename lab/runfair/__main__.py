"""`python -m runfair`: what the launcher `./runfair` runs."""

from runfair.cli.app import main

if __name__ == "__main__":
    main()
