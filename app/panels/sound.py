"""Sound and rumble: on or off, how loud, and what sounds."""

from app.gui.controls import style, widgets
from app.session import Session
from app.sound.sound import Sound

TITLE = "Sound"
PLACE = "right"
ORDER = 70
OPEN = False

KINDS = {
    "impacts": "Blows: the smaller the body and the harder the blow, the higher; louder with the impulse, measured by a fall of "
               "the body by its own size.",
    "sliding": "What slides hisses: louder with the power of its friction, brighter with its speed, darker where it is pressed "
               "hard.",
    "joints": "Joints that rub creak softly, with the power of their friction.",
}


def draw(session: Session) -> None:
    sound = session.memory(Sound)
    new = widgets.toggle("sound", sound.wanted["on"],
                         "Hear impacts, sliding and joints, from where the camera is. Remembered for the next start.")
    if new is not None:
        sound.switch(session, new)
    if sound.trouble:
        widgets.wrapped(f"Not heard now: {sound.trouble}. Switch it off and on to look for one again.", style.palette().warn)
    new = widgets.number("volume", sound.volume, lo=0.0, hi=1.0, default=0.7, help="How loud it is.")
    sound.volume = sound.volume if new is None else new
    for kind, help in KINDS.items():
        new = widgets.toggle(kind, sound.kinds[kind], help)
        sound.kinds[kind] = sound.kinds[kind] if new is None else new
    if sound.on:
        widgets.bar(sound.level, f"plays by {sound.speaker.driver}", style.palette().good)
    widgets.heading("Game controllers")
    new = widgets.toggle("rumble", sound.wanted["rumble"],
                         "Feel impacts in a game controller: it shakes with their strength. They can be plugged in at any time; "
                         "it needs no sound device.")
    if new is not None:
        sound.switch_rumble(session, new)
    if sound.rumble is not None:
        count = len(sound.rumble.controllers)
        widgets.dim(f"{count} controller{'s' if count != 1 else ''}" if count else "none is plugged in yet")
