"""A card that is on the screen before anything heavy is imported: numba alone takes longer than the card may."""

from collections.abc import Callable
from pathlib import Path

SPLASH_FILE = Path(__file__).resolve().parents[1] / "assets" / "splash.png"
"""The main window's own splash screen (imgui_context.draw_splash), without a scene."""


def show() -> Callable[[], None]:
    """Show the card until the returned function is called, once or more. Without a display nothing is shown: the main window
    says why."""
    try:
        import pyglet

        configure(pyglet)
        from pyglet import gl
        from pyglet.window import Window

        with SPLASH_FILE.open("rb") as stream:
            picture = pyglet.image.load(str(SPLASH_FILE), file=stream)
        card = Window(picture.width, picture.height, style=Window.WINDOW_STYLE_BORDERLESS, caption="Stiction", vsync=False,
                      config=gl.Config(major_version=3, minor_version=3, forward_compatible=True, double_buffer=True))
    except Exception:  # noqa: BLE001  (a card is not worth an error)
        return lambda: None
    card.set_location(card.screen.x + (card.screen.width - card.width) // 2,
                      card.screen.y + (card.screen.height - card.height) // 2)
    card.push_handlers(on_draw=lambda: picture.blit(0, 0))
    for _ in range(3):      # the server maps it and tells its size first
        card.dispatch_events()
        card.draw(0.0)
    return lambda: card.close() if card in pyglet.app.windows else None


def configure(pyglet: object) -> None:
    """Options that must be set before the first window."""
    pyglet.options.debug_gl = False
    pyglet.options.shadow_window = False
    pyglet.options.dpi_scaling = "scaled"
