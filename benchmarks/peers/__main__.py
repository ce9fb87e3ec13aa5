"""`python -m benchmarks.peers`: run the comparison without compiling kernels that it does not need."""

import argparse
import sys

from benchmarks.peers import command
from physics import BadInput


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description="our engine beside its peers")
    command.arguments(parser)
    try:
        return command.run(parser.parse_args())
    except BadInput as error:
        parser.error(str(error))


if __name__ == "__main__":
    sys.exit(main())
