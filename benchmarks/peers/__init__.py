"""Comparison with peer engines: the same scenes, judged by the same geometry, cost at equal quality.

    scenes.py        scene definitions that every engine can build
    adapters/        one file per engine, found by listing the folder
    geometry.py      overlap of bodies by our own closed forms, the same for every engine
    metrics.py       quality of a state and of a run
    reference.py     reference end states of chain and bridge (reference.json)
    gates.py         quality bounds: plausible (loose) and correct (strict)
    worker.py        one measurement in one fresh process on one core
    measure.py       orders, interleaves and repeats the measurements
    table.py         Markdown from the numbers
    command.py       the command: `python3 start.py bench`, or `python -m benchmarks.peers`
"""
