"""A scene whose file was saved again is built anew; what `Simulation` inherits."""

import contextlib
import sys

import scenes
from app.engine.undoing import Edits
from app.own_files import explained
from physics import BadInput, fields, set_option


class Renewing:
    """For who writes a scene: what they change in the file is seen at once."""

    def renew(self) -> None:
        """Build the scene as its file has it now. Parameters that it still has, and all that survives a reset, stay.

        Raises:
            BadInput: it cannot be built; the world stays as it is.
        """
        if self.scene is None:
            return
        scene = scenes.find(self.scene_name)
        parameters = scene.parameters()
        for field in fields(parameters):
            with contextlib.suppress(AttributeError, BadInput):
                set_option(parameters, field.name, getattr(self.parameters, field.name))
        try:
            scenes.make_world(scene, parameters)
        except Exception as error:
            raise BadInput(f"the new '{self.scene_name}' cannot be built: "
                           f"{explained(error, sys.modules[scene.build.__module__].__file__)}") from error
        self.scene, self.parameters, self.edits, self.kept = scene, parameters, Edits(), None
        self.traces.follow_only(scene.plots)
        self._build_again()
        self.say(f"the file of '{self.scene_name}' was saved: this is how it is now")
