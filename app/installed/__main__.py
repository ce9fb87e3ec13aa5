"""`python -m stiction` is `stiction`."""

import sys

from stiction import main

if __name__ == "__main__":
    sys.exit(main())
