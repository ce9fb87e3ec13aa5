"""Our engine beside its peers: the same scenes, judged by the same geometry, cost at equal quality.

    scenes.py        what is simulated, in words that every engine understands
    adapters/        one file an engine, found by listing the folder
    geometry.py      how deep bodies overlap, by closed forms of our own, the same for every engine
    metrics.py       the quality of a state and of a run
    reference.py     where chain and bridge must end (reference.json)
    gates.py         what looks right (loose) and what is right (strict)
    worker.py        one measurement in one fresh process on one core
    measure.py       orders, interleaves and repeats the measurements
    table.py         Markdown from the numbers
    command.py       the command: `python3 start.py bench`, or `python -m benchmarks.peers`
"""
