"""OpenSpiel's counterfactual regret minimisation solves a small game of boardlab, and its exploitability falls.

pip install 'boardlab[open_spiel]'
python examples/openspiel_cfr.py [ITERATIONS]
"""

from __future__ import annotations

import sys

import pyspiel
from open_spiel.python.algorithms import cfr, exploitability

from boardlab import make
from boardlab.adapters import open_spiel

GAME = "nimm3:pile=6"


def main(iterations: int) -> list[float]:
    """The exploitability of the average policy after 0, 1, 2, 4, ... iterations."""
    game = pyspiel.load_game(open_spiel.spiel_name(make(GAME)))  # boardlab(game=nimm3(pile=6))
    solver = cfr.CFRSolver(game)
    found = [exploitability.exploitability(game, solver.average_policy())]
    for number in range(1, iterations + 1):
        solver.evaluate_and_update_policy()
        if number & (number - 1) == 0:
            found.append(exploitability.exploitability(game, solver.average_policy()))
            print(f"{number:5d} iterations: exploitability {found[-1]:.4f}")
    state = game.new_initial_state()
    chances = solver.average_policy().action_probabilities(state)
    best = max(chances, key=lambda action: chances[action])
    print(f"CFR takes {best + 1} of 6 stones and leaves {5 - best}; whoever leaves a multiple of four wins")
    return found


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 256)
