"""The `solvent` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        # Imported here, where Ctrl-C is no traceback.
        from solvent.app.command_line import run

        code = run()
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
