"""`stiction pictures`: redraw the thumbnails of the scene picker."""

import argparse

HELP = "redraw the thumbnails of scenes for the scene picker (for scene authors)"
EXAMPLES = """\
  stiction pictures                 # missing thumbnails
  stiction pictures door pyramid    # redraw these
  stiction pictures --all"""

PICTURE_SIZE = (256, 160)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scene", nargs="*", metavar="SCENE", help="scenes to draw; default: those without a thumbnail")
    parser.add_argument("--all", action="store_true", help="draw all")


def run(args: argparse.Namespace) -> int:
    """Draw each scene as its `thumbnail` says, without other overlays."""
    import sys

    import scenes
    from app.files.folders import scene_picture
    from app.render.opengl.offscreen import NoGraphics, Offscreen, write_png

    known = scenes.all_scenes()
    for name in args.scene:
        scenes.find(name)
    chosen = args.scene or [name for name in known if args.all or not scene_picture(name).is_file()]
    try:
        with Offscreen(*PICTURE_SIZE, 8) as picture:
            from app.render.opengl.renderer import Renderer

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
    from app.build_scene import build
    from app.camera import Camera
    from app.engine.frame import RealTimePace, capture, poses
    from app.render.view_options import ViewOptions

    wanted, world = scene.thumbnail or scenes.Thumbnail(), scenes.without_clock(build(scene, scene.parameters()))
    scenes.run(scene, world=world, seconds=wanted.time, keys=())
    frame = capture(world, scene=name, dt=scene.dt, paused=True, before=poses(world), pace=RealTimePace())
    camera, view = Camera(), ViewOptions(contacts=False, joints=wanted.joints)
    camera.set_view(wanted.view or scene.view)
    renderer.draw(frame, camera, view, *PICTURE_SIZE, frame.wall)
