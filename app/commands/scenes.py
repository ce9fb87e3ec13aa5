"""`stiction scenes`: list the scenes."""

import argparse

HELP = "list the scenes: name, category, title"
EXAMPLES = "  stiction scenes\n  stiction scenes friction"
KERNELS = False


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("word", nargs="?", default="", metavar="WORD",
                        help="only scenes with this word in name, category or title")


def run(args: argparse.Namespace) -> int:
    """Print one line per scene, by category and name."""
    rows = _read()
    if rows is None:
        import scenes

        rows = [(name, scene.category, scene.title) for name, scene in scenes.all_scenes().items()]
    rows = sorted((row for row in rows if args.word.lower() in " ".join(row).lower()), key=lambda row: (row[1], row[0]))
    if not rows:
        from physics import BadInput
        if not args.word:
            raise BadInput("no scenes found in the folder scenes/")
        raise BadInput(f"no scene matches '{args.word}'; run `stiction scenes` to list all")
    widths = [max(len(row[k]) for row in rows) for k in range(2)]
    for name, category, title in rows:
        print(f"{name:{widths[0]}}  {category:{widths[1]}}  {title}")
    return 0


def _read() -> list[tuple[str, str, str]] | None:
    """(name, category, title) of each scene, parsed from its file: importing them takes ten times as long. None: importing is
    needed, since there are user scenes, or one computes its texts."""
    import ast
    from pathlib import Path

    from app.files.folders import data_folder

    if any((data_folder() / "scenes").glob("*.py")):
        return None
    rows = []
    for path in sorted(Path(__file__).resolve().parents[2].joinpath("scenes").glob("[!_]*.py")):
        values = [item.value for item in ast.parse(path.read_bytes()).body if isinstance(item, ast.Assign)
                  and any(isinstance(target, ast.Name) and target.id == "SCENE" for target in item.targets)]
        if len(values) != 1 or not isinstance(values[0], ast.Call):
            return None
        constants = {word.arg: word.value.value for word in values[0].keywords if isinstance(word.value, ast.Constant)}
        if not constants.keys() >= {"category", "title"}:
            return None
        rows.append((path.stem, constants["category"], constants["title"]))
    return rows
