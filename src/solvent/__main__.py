"""`python -m solvent` is the `solvent` command."""

from solvent.app.main import main

if __name__ == "__main__":
    main()
