"""`stiction schema`: the JSON Schema of scene files, for editors that complete and check them."""

import argparse

HELP = "print the JSON Schema of scene files"
EXAMPLES = """\
  stiction schema > stiction-scene.schema.json"""
KERNELS = False


def arguments(parser: argparse.ArgumentParser) -> None:
    """It has none."""


def run(args: argparse.Namespace) -> int:
    """Print the schema."""
    import json

    from app.engine.scene_files import schema

    print(json.dumps(schema.json_schema(), indent=2))
    return 0
