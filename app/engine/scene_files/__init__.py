"""Scene files: a world as a TOML text that people read and edit, and that gives the same world again, bit for bit.

    text.py       TOML text <-> tables, lines of the values, edits that keep comments and order
    schema.py     what a file may contain, as pydantic models; every mistake with its path
    describe.py   world -> tables
    build.py      tables -> world
    state.py      what steps computed: contacts, impulses, sleep, the auditor's memory; packed
    scene_file.py reading, checking, making the text of a file
"""
