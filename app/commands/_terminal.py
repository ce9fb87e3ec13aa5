"""Trust questions about new own files on a command's terminal: asked once; without a terminal the files are skipped."""

import sys
from pathlib import Path


def ask(new: list[Path]) -> None:
    """Ask about files on the terminal; without one they are skipped, with a message."""
    from app.files.printable import printable
    from app.own_files import discover, trust
    from app.own_files.ask import TRUST_WARNING

    answers = None
    asks = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))
    for path in new:
        if not asks:
            print(f"stiction: {printable(str(path))} is skipped: it is a new program and cannot be confirmed here; open the "
                  "window, or run this in a terminal", file=sys.stderr)
            continue
        print(f"{printable(str(path))} is new. {TRUST_WARNING}\nRun it now and in future? [y/n] ", end="", file=sys.stderr,
              flush=True)
        word = sys.stdin.readline().strip().lower()
        if word[:1] not in ("y", "n"):
            print("stiction: it is skipped this time", file=sys.stderr)
            continue
        answers = answers or trust.TrustStore.load(trust.place())
        answers.remember(path, word[0] == "y")
        if word[0] == "y":
            discover.admit(path)
