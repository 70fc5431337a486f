"""Sweeps: many trainings from one description, and what came of them.

`sweep` describes them, `variation` makes values of ranges and Latin hypercubes, `runs` names each run by what decides
its result, `carrying_out` trains one of them in a process of its own, `sweeping` keeps all cores busy with them,
`board` shows how they stand by their `logs`, `estimate` says how long it takes, `results` reads the folder. All state
is files in that folder:

    FOLDER/sweep.toml                the description
    FOLDER/runs/HASH/settings.json   what the run is
                     run.agent       the agent with its history: the last checkpoint, or the end
                     log.txt         what happened, a line each
                     curve.csv       the learning curve, at the end
                     result.json     the result, at the end
                     failed.txt      why there is none
"""
