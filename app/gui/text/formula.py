"""Draws LaTeX by MicroTeX where it works, else as plain text.

A formula that fails is shown as text from then on.
"""

import logging
import math

from imgui_bundle import imgui, imgui_microtex

from app.gui.controls import style, widgets
from app.gui.text import fonts
from app.gui.text.temporary_locale import temporary_locale

log = logging.getLogger(__name__)

failed: set[str] = set()
MIN_FORMULA_SCALE = 0.8
"""Formulas that need a smaller scale than this are broken into lines."""
SPACE = r"\quad"


def draw(latex: str, plain: str) -> None:
    """Draw a formula in the text's colour, as large as the panel allows; `plain` where it cannot be rendered."""
    if latex and latex not in failed:
        try:
            for part in latex.split(r"\qquad"):
                _picture(part.strip().rstrip(",").removesuffix(r"\,"))
        except Exception as error:  # noqa: BLE001  (MicroTeX raises what its parser raises)
            log.info("formula shown as text: %s (%s)", latex, error)
            failed.add(latex)
        else:
            return
    imgui.indent(widgets.scaled(8.0))
    widgets.wrapped(plain or latex, style.palette().accent_strong)
    imgui.unindent(widgets.scaled(8.0))


def width(latex: str, plain: str) -> float:
    """Width of a formula within a line of text."""
    picture = _small(latex, style.palette().text)
    return imgui.calc_text_size(plain).x if picture is None else picture.width


def word(latex: str, plain: str, colour: style.RGBA) -> None:
    """Draw a formula within a line of text, in its colour and on its baseline; `plain` where it cannot be rendered."""
    picture = _small(latex, colour)
    if picture is None:
        widgets.coloured(plain, style.palette().accent_strong)
        return
    height = imgui.get_text_line_height()
    top = 0.79 * height - picture.baseline_y
    corner = imgui.get_cursor_screen_pos()
    imgui.dummy(imgui.ImVec2(picture.width, height))
    imgui.get_window_draw_list().add_image(
        imgui.ImTextureRef(picture.texture_id()), imgui.ImVec2(corner.x, corner.y + top),
        imgui.ImVec2(corner.x + picture.width, corner.y + top + picture.height))


def _small(latex: str, colour: style.RGBA) -> imgui_microtex.FormulaTexture | None:
    """The formula in the size of text; None where it cannot be rendered."""
    if latex in failed:
        return None
    try:
        return _set(latex, 1.05 * imgui.get_font_size(), colour)
    except Exception as error:  # noqa: BLE001  (MicroTeX raises what its parser raises)
        log.info("formula shown as text: %s (%s)", latex, error)
        failed.add(latex)
        return None


def release() -> None:
    """Free the textures; call while the GL context exists."""
    if imgui_microtex.is_initialized():
        imgui_microtex.release()


def _set(latex: str, size: float, colour: style.RGBA) -> imgui_microtex.FormulaTexture:
    """Render the formula at a size [px]; MicroTeX caches the results."""
    with temporary_locale():
        if not imgui_microtex.is_initialized():
            base = fonts.ASSETS / "latex" / "latinmodern-math"
            imgui_microtex.init(f"{base}.clm1", f"{base}.otf")
        return imgui_microtex.render_to_texture(latex, size, style.vec(colour))


def _picture(latex: str) -> None:
    picture = _set(latex, 1.25 * imgui.get_font_size(), style.palette().text)
    shrink = min(1.0, imgui.get_content_region_avail().x / max(1.0, picture.width))
    if shrink < MIN_FORMULA_SCALE and SPACE in latex:       # equations below each other
        for part in latex.split(SPACE):
            _picture(part.strip().rstrip(","))
        return
    if shrink < 1.0:        # render again, since a scaled texture is blurred
        picture = _set(latex, math.floor(2.0 * 1.25 * imgui.get_font_size() * shrink) / 2.0, style.palette().text)
    imgui.image(imgui.ImTextureRef(picture.texture_id()), imgui.ImVec2(picture.width, picture.height))
