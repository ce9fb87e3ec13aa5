"""A small scene file as one line of text, to be sent in a message: a prefix, then the compressed text in base64."""

import base64
import binascii
import re
import zlib

from app.engine.scene_files.text import MAX_BYTES
from app.i18n.message import message
from physics import BadInput

PREFIX = "stiction:1:"

LONGEST = 30_000
"""Longest link [letters]: what messengers and mail programs pass on whole."""


def link_of(text: str) -> str:
    """The link of a file's text.

    Raises:
        BadInput: the scene is too large.
    """
    packed = PREFIX + base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode()
    if len(packed) > LONGEST:
        raise BadInput(message("the scene takes {packed:,} letters as a link; allowed: {longest:,}. Save it and send the file "
                               "instead", packed=len(packed), longest=LONGEST))
    return packed


def is_link(text: str) -> bool:
    """Whether a text, as from the clipboard, looks like a link."""
    return text.strip().startswith(PREFIX)


def contents(link: str) -> bytes:
    """The text of a file in a link, whatever line breaks a mail program has put into it.

    Raises:
        BadInput: it is none, damaged or too large.
    """
    packed = re.sub(r"\s+", "", link)
    if not packed.startswith(PREFIX):
        raise BadInput(message("it is no link of a scene: links begin with {prefix}", prefix=PREFIX))
    if len(packed) > LONGEST:
        raise BadInput(message("the link has {packed:,} letters; allowed: {longest:,}", packed=len(packed), longest=LONGEST))
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(base64.b64decode(packed.removeprefix(PREFIX), altchars=b"-_", validate=True), MAX_BYTES + 1)
    except (binascii.Error, zlib.error):
        raise BadInput("the link is damaged: copy it again, whole") from None
    if len(data) > MAX_BYTES or not unpacker.eof:
        raise BadInput("the link is damaged: copy it again, whole")
    return data
