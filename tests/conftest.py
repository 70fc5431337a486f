"""What all tests share: a process that hears Ctrl-C, as do the commands that it starts. A shell that runs the tests in
the background lets them ignore it, and children inherit that. And the fixtures that several files of tests use."""

from __future__ import annotations

import gc
import signal
from typing import Any

import pytest
from browser import arena, chromium, page, phone
from check_games import uncompiled
from learners import way
from small_tournaments import trio, trusted
from training_files import kept
from web_runs import client, training_arena
from workers import compile_once, longest_first, make_scheduler

__all__ = [
    "arena",
    "chromium",
    "client",
    "kept",
    "page",
    "phone",
    "training_arena",
    "trio",
    "trusted",
    "uncompiled",
    "way",
]

signal.signal(signal.SIGINT, signal.default_int_handler)
compile_once()

COMPILED_FOR_THEMSELVES = (
    "test_before.py::test_an_agent_of_before_goes_on[traces]",
    "test_bench_web.py::test_the_command_measures_an_arena",
    "test_browser_train.py::test_a_second_evaluator_and_step_sizes_are_in_the_chart",
    "test_c4_solver.py::test_follow_up_bounds_are_never_too_low",
    "test_cli_train.py::test_sigterm_while_it_learns",
    "test_cli_train.py::test_the_last_evaluation_is_made_up_for",
    "test_damaged_files.py::test_a_bomb_takes_no_memory[tuples]",
    "test_features.py::test_a_training_is_that_of_the_reference[mlp:hidden=4-layers3-0.6-plain]",
    "test_web_matches.py::test_a_queued_match_waits_and_can_be_stopped",
    "test_web_runs.py::test_a_killed_process_fails_and_goes_on_from_its_checkpoint",
    "test_web_runs.py::test_an_evaluation_is_given_up_at_once_and_made_up_for",
    "test_web_runs.py::test_processes_that_end_before_the_closing_server_does",
    "test_web_runs.py::test_sigterm_pauses_a_run",
    "test_cli_train.py::test_bench_train_prints_the_keys_that_others_read",
    "test_cli_train.py::test_ctrl_c_after_a_training_that_was_finished_once",
    "test_cli_train.py::test_ctrl_c_during_an_evaluation[15]",
    "test_check_agent.py::test_our_agents_keep_their_promises[c4-minimax-connect4]",
    "test_compile.py::test_an_edit_while_the_old_code_runs_does_not_poison_the_cache",
    "test_compile.py::test_classes_of_one_name_are_told_apart",
    "test_compile.py::test_floats_are_read_at_run_time_integers_are_compiled_in",
    *(f"test_docs.py::test_document[{name}.md]" for name in ("approximators", "experiments", "your-own-game")),
    "test_dots.py::test_coding_3_passes_all_checks[dots:rows=1,columns=2,coding=3]",
    "test_fences.py::test_a_training_in_an_endless_loop_can_be_ended_and_is_kept",
    "test_fences.py::test_learning[4]",
    "test_fences.py::test_learning[5]",
    "test_fences.py::test_learning[7]",
    "test_layout.py::test_each_pattern_has_one_index_and_each_index_one_pattern[tictactoe-walk:4x3+2x5]",
    "test_layout.py::test_each_pattern_has_one_index_and_each_index_one_pattern[connect4-mode1]",
    "test_layout.py::test_each_pattern_has_one_index_and_each_index_one_pattern[nim:permute=true-default]",
    "test_learner.py::test_a_winning_move_is_rated_by_its_score",
    "test_learner.py::test_actions_are_rated_as_the_reference_does[dots:rows=2",
    "test_learner.py::test_actions_are_rated_as_the_reference_does[tictactoe-options1-0.5]",
    "test_learner.py::test_counts",
    "test_learner.py::test_pieces_of_training_are_the_whole[options1]",
    "test_learner.py::test_the_same_seed_learns_the_same[options1]",
    "test_learner.py::test_training_goes_on_with_a_copy_of_network_and_random_numbers[options1]",
    "test_learners.py::test_a_file_of_before_goes_on_learning",
    "test_learners.py::test_python_takes_the_agent_too",
    "test_learning_options.py::test_the_score_at_the_limit",
    "test_learning_options.py::test_wins_are_always_taken[td-farl-compiled]",
    "test_maxn.py::test_a_longer_game_than_the_first_stack",
    "test_mistakes.py::test_the_perfect_player_of_connect_four_makes_no_mistakes",
    "test_own_components.py::test_a_rule",
    "test_solve.py::test_no_length_where_best_play_does_not_say",
    "test_td_ntuple.py::test_presets_train[nim]",
    "test_training_curve.py::test_td_ntuple_that_diverges",
    "test_training_curve.py::test_the_factors_of_temporal_coherence_are_those_of_the_rule",
    "test_web_tournaments.py::test_a_tournament_goes_on_after_a_stop_a_kill_and_a_restart",
    "test_wheel.py::test_it_learns",
    "test_wrappers.py::test_n_ply_equals_the_plain_recursion[three players and chance]",
    "test_wrappers.py::test_plain_searches_find_what_compiled_ones_find[dice-board]",
    "test_wrappers.py::test_puct_equals_the_plain_search[three players and chance]",
    "test_wrappers.py::test_self_play_chooses_as_the_wrappers_do",
    "test_wrong_games.py::test_a_suspicious_game_is_made_with_a_warning[noflip]",
    "test_wrong_games.py::test_a_wrong_game_is_not_made[globalint]",
    "test_wrong_games.py::test_a_wrong_game_is_not_made[int8wraps]",
    "test_wrong_games.py::test_a_wrong_game_is_not_made[mixedtypes]",
    *(f"test_agent_file.py::test_a_resumed_training_is_the_one_that_was_never_stopped[variant{k}]" for k in (0, 1, 3)),
    *(
        f"test_guards.py::test_a_copy_and_a_pickle_of_an_agent_play_like_it[{name}]"
        for name in ("td-linear", "td-mlp", "sarsa-ntuple", "q-ntuple", "td-self-play", "q-self-play")
    ),
    *(f"test_wrong_games.py::test_a_harmless_game_raises_no_alarm[{name}]" for name in ("asksitself", "pylist")),
)
"""Cases that take many seconds, most of them to compile something of their own, and are close to others: slow tests."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(case in item.nodeid for case in COMPILED_FOR_THEMSELVES):
            item.add_marker(pytest.mark.slow)
    longest_first(items)


def pytest_collection_finish() -> None:
    """Nothing of what is there by now is ever garbage: it need not be looked through again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    return make_scheduler(config, log)
