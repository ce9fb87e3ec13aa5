"""Where a person's pictures, tables and settings go; files are saved whole or not at all."""

import os
import tempfile
from pathlib import Path

import platformdirs

APP = "stiction"


def config() -> Path:
    """Settings of this person, such as the layout of the window; STICTION_CONFIG_DIR names another folder."""
    if override := os.environ.get("STICTION_CONFIG_DIR"):
        return Path(override)
    return Path(platformdirs.user_config_dir(APP, appauthor=False))


def pictures() -> Path:
    return Path(platformdirs.user_pictures_dir()) / "Stiction"


def documents() -> Path:
    return Path(platformdirs.user_documents_dir()) / "Stiction"


def scene_picture(name: str) -> Path:
    """The small picture of a scene; it may be missing."""
    return Path(__file__).resolve().parents[3] / "assets" / "scenes" / f"{name}.png"


def write(path: Path, data: bytes) -> None:
    """Write beside it, flush to the disk, rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
