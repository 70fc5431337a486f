"""2048 for a replay by the reference learner. In a module of its own, because the compiled code of a game depends on
all that its module can reach."""

from __future__ import annotations

from boardlab.game import State
from boardlab.games.game2048 import Game2048
from boardlab.rng import Rng, make_rng


class OwnDice2048(Game2048):
    """2048 whose chance events do not use the random numbers of the training. So a replay meets the same tiles, even
    where it cannot tell whether the learner had to draw between actions of equal value."""

    name = "own-dice-2048"
    draw_tile = Game2048.sample_chance

    def setup(self) -> None:
        super().setup()
        self.dice = make_rng(2048)

    def require_sound(self) -> None:
        """Not checked: that would throw the dice before the training does."""

    def sample_chance(self, s: State, rng: Rng) -> int:
        return self.draw_tile(s, self.dice)
