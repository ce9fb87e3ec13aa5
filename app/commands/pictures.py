"""`stiction pictures`: the small pictures of scenes that the scene picker shows, drawn again."""

import argparse

HELP = "draw the small pictures of scenes for the window's scene picker again (for who adds a scene)"
EXAMPLES = """\
  stiction pictures                 # those that are missing
  stiction pictures door pyramid    # these, again
  stiction pictures --all"""

SIZE = (256, 160)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scene", nargs="*", metavar="SCENE", help="those to draw; without: those that have no picture")
    parser.add_argument("--all", action="store_true", help="draw all")


def run(args: argparse.Namespace) -> int:
    """Draw each at its start, with nothing on it but the scene."""
    import sys

    import scenes
    from app.gui.output.files import scene_picture
    from app.render.offscreen import NoGraphics, Offscreen, write_png

    known = scenes.all_scenes()
    for name in args.scene:
        scenes.find(name)
    chosen = args.scene or [name for name in known if args.all or not scene_picture(name).is_file()]
    try:
        with Offscreen(*SIZE, 8) as picture:
            from app.render.renderer import Renderer

            renderer = Renderer("high")
            for name in chosen:
                picture.begin()
                _draw(renderer, name, known[name])
                scene_picture(name).parent.mkdir(parents=True, exist_ok=True)
                write_png(scene_picture(name), picture.pixels())
                print(scene_picture(name))
    except NoGraphics as error:
        print(f"stiction: {error}", file=sys.stderr)
        return 3
    return 0


def _draw(renderer: "Renderer", name: str, scene: "Scene") -> None:  # noqa: F821
    import scenes
    from app.camera import Camera
    from app.engine.frame import Pace, capture
    from app.engine.poses import poses
    from app.view import ViewOptions

    world = scenes.make_world(scene, scene.parameters())
    frame = capture(world, scene=name, dt=scene.dt, paused=True, before=poses(world), pace=Pace())
    camera, view = Camera(), ViewOptions(contacts=False, joints=False)
    camera.look(scene.view)
    renderer.draw(frame, camera, view, *SIZE, frame.wall)
