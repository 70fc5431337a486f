"""Tuning: good settings found by Optuna. `description` is the file, `study` the trials and what they found, `trial` one
of them in a process of its own, `tune` keeps all cores busy, `figures` shows what mattered.

    FOLDER/tune.toml      the description
    FOLDER/journal.log    Optuna's journal of all trials
    FOLDER/runs/HASH/     the trainings, as in the folder of a sweep
    FOLDER/best.toml      the best settings, for boardlab train --config
"""
