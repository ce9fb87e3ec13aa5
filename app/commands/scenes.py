"""`stiction scenes`: what there is to look at."""

import argparse

HELP = "list the scenes: name, category, title"
EXAMPLES = "  stiction scenes\n  stiction scenes friction"
KERNELS = False


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("word", nargs="?", default="", metavar="WORD",
                        help="only scenes with this word in name, category or title")


def run(args: argparse.Namespace) -> int:
    """Print one line a scene, by category and name."""
    import scenes

    rows = [(name, scene.category, scene.title) for name, scene in scenes.all_scenes().items()]
    rows = sorted((row for row in rows if args.word.lower() in " ".join(row).lower()), key=lambda row: (row[1], row[0]))
    if not rows:
        from physics import BadInput
        if not args.word:
            raise BadInput("there are no scenes in the folder scenes/")
        raise BadInput(f"no scene has '{args.word}' in its name, category or title; `stiction scenes` lists all")
    widths = [max(len(row[k]) for row in rows) for k in range(2)]
    for name, category, title in rows:
        print(f"{name:{widths[0]}}  {category:{widths[1]}}  {title}")
    return 0
