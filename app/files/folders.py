"""Folders of the user's settings, own files, pictures and tables; what is said of a file that is not there."""

import os
from pathlib import Path

import platformdirs

from app.files import atomic_write
from app.i18n.message import Message, message

APP = "stiction"


def config() -> Path:
    """Folder of the user's settings, such as the window layout; overridden by STICTION_CONFIG_DIR."""
    if override := os.environ.get("STICTION_CONFIG_DIR"):
        return Path(override)
    return Path(platformdirs.user_config_dir(APP, appauthor=False))


def data_folder() -> Path:
    """Folder of the user's own files; overridden by STICTION_DATA_DIR."""
    given = os.environ.get("STICTION_DATA_DIR", "")
    return Path(given) if given else Path(platformdirs.user_data_dir(APP, appauthor=False))


def state() -> Path:
    """Folder of data that only the next start uses; overridden by STICTION_STATE_DIR."""
    if override := os.environ.get("STICTION_STATE_DIR"):
        return Path(override)
    return Path(platformdirs.user_state_dir(APP, appauthor=False))


def pictures() -> Path:
    return Path(platformdirs.user_pictures_dir()) / "Stiction"


def documents() -> Path:
    return Path(platformdirs.user_documents_dir()) / "Stiction"


def not_saved(path: Path, error: OSError) -> Message:
    """Why a file is not there, and what helps."""
    return message("could not save {path} ({reason}): {folder} must be a folder in which you may write, on a disk with room",
                   path=path, reason=error.strerror or error, folder=path.parent)


def scene_picture(name: str) -> Path:
    """Path of the thumbnail of a scene, which may be missing."""
    return Path(__file__).resolve().parents[2] / "assets" / "scenes" / f"{name}.png"


def tidy() -> None:
    """Remove leftovers of killed processes in all of these folders."""
    for folder in (config(), state(), data_folder(), pictures(), documents(), documents() / "Recordings"):
        atomic_write.remove_leftovers(folder)
