"""A floor and nothing else: where a scene is built by hand."""

from physics import World
from scenes import NoParameters, Scene, View
from scenes._parts import ground


def build(world: World, parameters: NoParameters) -> None:
    ground(world, friction=0.5)


SCENE = Scene(title="Untitled", category="Own", look_for="An empty floor. Add bodies with Shift+A or the right mouse button, tie "
                                                         "them with joints, save with Ctrl+S.",
              law="", law_text="", build=build, view=View((0.0, 0.0, 0.5), 6.0, 35.0, 18.0), plots=())
