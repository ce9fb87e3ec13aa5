"""The app: window, command line, engine."""

from pathlib import Path


def version() -> str:
    """The version of this checkout, or of the installed package."""
    project = Path(__file__).resolve().parents[1] / "pyproject.toml"
    if project.exists():
        import tomllib
        return tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]
    from importlib import metadata
    return metadata.version("stiction")
