"""`python -m lmlir` is the command `lmlir`."""

import sys

from lmlir.commands import main

if __name__ == "__main__":
    sys.exit(main())
