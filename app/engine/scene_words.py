"""Which document a word means that names a scene: on a command line, in the settings, dropped on the window."""

from app.engine.scene_files import scene_file
from app.robots import robot_file


def admit(word: str) -> str:
    """The name by which `scenes.find` has the scene: a scene file or a robot is read, without running code; other words stay.

    Raises:
        BadInput: the file is not there or mistaken.
    """
    if word.endswith(scene_file.SUFFIX):
        return scene_file.admit(word)
    if word.lower().endswith(robot_file.SUFFIXES):
        return robot_file.admit(word)
    return word
