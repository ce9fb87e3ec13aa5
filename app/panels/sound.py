"""Sound and rumble: on or off, volume, and sources."""

from app.gui.controls import style, widgets
from app.i18n.message import message
from app.session import Session
from app.sound.sound import Sound

TITLE = "Sound"
PLACE = "right"
ORDER = 70
OPEN = False
GROUP = "Program"
ABOUT = "volume and sources"

SOUND_KINDS = {
    "impacts": "Impact sounds: higher pitch for smaller bodies and harder impacts; volume grows with the impulse.",
    "sliding": "Sliding sounds: louder with friction power, brighter with speed, darker with pressure.",
    "joints": "Joint sounds: volume grows with the friction power.",
}


def draw(session: Session) -> None:
    sound = session.state(Sound)
    new = widgets.toggle("sound", sound.wanted["on"],
                         "Play sounds of impacts, sliding and joints as heard at the camera. Remembered for the next start.")
    if new is not None:
        sound.switch(session, new)
    if sound.trouble:
        widgets.wrapped(message("No sound: {trouble}. Switch it off and on to retry.", trouble=sound.trouble),
                        style.palette().warn)
    new = widgets.number("volume", sound.volume, lo=0.0, hi=1.0, default=0.7, help="Sound volume.")
    sound.volume = sound.volume if new is None else new
    for kind, help in SOUND_KINDS.items():
        new = widgets.toggle(kind, sound.kinds[kind], help)
        sound.kinds[kind] = sound.kinds[kind] if new is None else new
    if sound.on:
        widgets.bar(sound.level, message("output: {driver}", driver=sound.speaker.driver), style.palette().good)
    widgets.heading("Game controllers")
    new = widgets.toggle("rumble", sound.wanted["rumble"],
                         "Vibrate game controllers on impacts. Controllers can be connected at any time; no sound device is "
                         "needed.")
    if new is not None:
        sound.switch_rumble(session, new)
    if sound.rumble is not None:
        count = len(sound.rumble.controllers)
        widgets.dim_text(message("{count} controller", "{count} controllers", count=count) if count else "none connected")
