"""`check_agent`: the kit that proves an agent right, ours and a user's alike (`boardlab check agent NAME GAME`).

First what its class says (`refusal`, `spec`), then, where it learns, files and resumed trainings (`learning`), then how
it plays (`playing`), at last the same answers in another process (`again`). The first violation ends the check and is
explained in words.
"""

from __future__ import annotations

from boardlab.agents.base import Agent
from boardlab.agents.checking.again import answers_of, ask_elsewhere, check_spec, compare, copied, is_known
from boardlab.agents.checking.learning import Pupil
from boardlab.agents.checking.playing import Player
from boardlab.agents.checking.report import AgentCheckFailed, AgentReport
from boardlab.agents.learning import LearningAgent
from boardlab.agents.registry import make_agent
from boardlab.arguments import shown, whole_number
from boardlab.check.report import Violation
from boardlab.compiler import is_our_own
from boardlab.errors import BoardlabError
from boardlab.game import Game, require_game
from boardlab.registry import game_classes, make
from boardlab.system.machine import free_memory

__all__ = ["AgentCheckFailed", "AgentReport", "check_agent"]

_ASKED_AGAIN = 20
"""So many questions are asked again, of a copy and in another process."""
_COPIES = 4
"""So many copies of a learner are there at once."""


def check_agent(
    agent: Agent | str,
    game: Game | str | None = None,
    positions: int = 100,
    seed: int = 1,
    *,
    episodes: int = 20,
    seconds: float = 30.0,
    second_process: bool = False,
    raise_on_violation: bool = True,
) -> AgentReport:
    """Check everything that an agent promises, in the positions of some games; the agent itself learns nothing.

    `agent` is an agent, or a text as "mcts:iterations=100" with the `game`. It is asked in `positions` positions, for
    about `seconds` at most. Copies of one that learns are trained for some multiples of `episodes`. With
    `second_process`, an agent that is found by its text gives some of its answers in another process, too.

    Raises `AgentCheckFailed` with the explanation of the first violation; with `raise_on_violation=False` it is in
    the report.
    """
    positions = whole_number(positions, "the number of positions", 1)
    episodes = whole_number(episodes, "the number of episodes", 1)
    check = _Check(_made(agent, game), positions, seed, episodes, seconds, second_process)
    violation = None
    try:
        check.run()
    except Violation as found:
        violation = str(found)
    report = check.report(violation)
    if violation is not None and raise_on_violation:
        raise AgentCheckFailed(report)
    return report


def _made(agent: Agent | str, game: Game | str | None) -> Agent:
    if isinstance(game, str):
        game = make(game)
    if isinstance(agent, str):
        if game is None:
            raise BoardlabError(f'say for which game {agent} is checked, as check_agent("{agent}", "tictactoe")')
        return make_agent(agent, game)
    if not isinstance(agent, Agent):
        raise BoardlabError(
            f"an agent is checked, or the text that makes one, as mcts:iterations=100, not {shown(agent)}"
        )
    if game is not None:
        require_game(game)
        if game != agent.game:
            raise BoardlabError(f"{agent.spec} was made for {agent.game.spec}; it cannot be checked in {game.spec}")
    return agent


class _Check:
    """One run of the check and what it has done so far."""

    def __init__(
        self, agent: Agent, positions: int, seed: int, episodes: int, seconds: float, second_process: bool
    ) -> None:
        self.agent, self.positions, self.seed = agent, positions, seed
        self.episodes, self.seconds, self.second_process = episodes, seconds, second_process
        self.player = Player(agent, seed)
        self.checks: list[str] = []
        self.skipped: list[str] = []

    def run(self) -> None:
        """All parts in order; raises `Violation` at the first find."""
        self._look_at_the_class()
        learner = isinstance(self.agent, LearningAgent)
        if isinstance(self.agent, LearningAgent):
            self._learn(self.agent)
        self._play()
        self._ask_a_copy()
        if not learner or self.player.agent is self.agent:
            self._ask_elsewhere()

    def _look_at_the_class(self) -> None:
        agent = self.agent
        for cls in game_classes().values():
            if is_our_own(cls.__module__):
                _check_refusal(agent, cls())
        if is_known(agent):
            check_spec(agent)
            self.checks.append("what it refuses, and that its spec makes it again")
        else:
            self.checks.append("what it refuses")
            self.skipped.append(f"the class {type(agent).__name__} is not found by a text: spec, another process")

    def _learn(self, agent: LearningAgent) -> None:
        if _COPIES * agent.memory_needed > free_memory():
            self.skipped.append("there is not enough memory for some copies of it: learning")
            return
        learned = Pupil(agent, self.episodes, self.seed).learn()
        self.checks.append(f"saved and loaded after {self.episodes} episodes it is the same, to the bit")
        self.checks.append(
            f"resumed after {self.episodes} episodes it learns the same, to the bit; two threads train it"
        )
        if agent.episodes == 0:
            self.player = Player(learned, self.seed)  # one that knows nothing would play at random

    def _play(self) -> None:
        player, agent = self.player, self.player.agent
        player.play(self.positions, self.seconds)
        self.checks.append("legal actions in all positions, which stay as they are; finished games are refused")
        if agent.repeatable:
            self.checks.append("the same random numbers give the same action, whatever was asked before")
        else:
            self.skipped.append("it is not repeatable (a time limit, or another program): the same action again")
        promises = [text for kept, text in ((agent.bounded, "within the score range"),) if kept]
        promises += ["the best one is played"] if agent.greedy and agent.repeatable else []
        if player.valued:
            self.checks.append(", ".join(["a finite value for every legal action", *promises]))
        else:
            self.skipped.append("it has no values: values")

    def _ask_a_copy(self) -> None:
        """An agent that has been asked can be copied, and the copy plays as it does."""
        agent, answers = self.player.agent, self.player.answers[:_ASKED_AGAIN]
        if agent.repeatable:
            compare(agent, answers, answers_of(copied(agent), self.seed, answers), "in a copy (copy.deepcopy)")
            self.checks.append("the same actions in a copy")

    def _ask_elsewhere(self) -> None:
        agent = self.agent
        if not self.second_process or not agent.repeatable or not (is_known(agent) and is_known(agent.game)):
            return
        ask_elsewhere(agent, self.seed, self.player.answers[:_ASKED_AGAIN])
        self.checks.append("the same actions in another process")

    def report(self, violation: str | None) -> AgentReport:
        """What was done."""
        return AgentReport(
            self.agent.spec,
            self.agent.game.spec,
            self.player.games,
            self.player.positions,
            tuple(self.checks),
            tuple(self.skipped),
            violation,
        )


def _check_refusal(agent: Agent, game: Game) -> None:
    """What the agent says about a game: nothing, or a sentence."""
    try:
        refusal = agent.refusal(game)
    except Exception as error:
        raise Violation(f"refusal({game!r}) failed with {type(error).__name__}: {error}") from error
    if refusal is not None and (not isinstance(refusal, str) or not refusal.strip() or "\n" in refusal):
        raise Violation(f"refusal({game!r}) must be None or a sentence in one line, not {shown(refusal)}")
