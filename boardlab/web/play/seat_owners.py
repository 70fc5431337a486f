"""`SeatOwners`: who may act in a live game that people share on several devices.

A browser has a number of its own, which nobody else knows, and sends it with every request. Once a game is shared, each
seat of a person belongs to the browser that has taken it; everybody else watches.
"""

from __future__ import annotations

from boardlab.web.server.errors import Problem

__all__ = ["SeatOwners"]


class SeatOwners:
    """The owners of the seats of a game that is shared; "" for a seat that is free, or an agent's."""

    def __init__(self, owners: list[str] | None = None) -> None:
        """Nobody owns anything before the game is shared."""
        self.owners = owners

    @property
    def shared(self) -> bool:
        """Whether the seats belong to somebody."""
        return self.owners is not None

    def share(self, people: list[int], seats: int, visitor: str) -> None:
        """Share the game: the first seat of a person is that of the visitor who shares it, the others are free."""
        if self.owners is not None:
            raise Problem(409, "this game is shared already")
        if not visitor or len(people) < 2:
            raise Problem(409, "to be shared, a game needs two seats for people; choose them under Players")
        self.owners = [visitor if seat == people[0] else "" for seat in range(seats)]

    def claim(self, people: list[int], seat: int, visitor: str) -> None:
        """Take a free seat."""
        if self.owners is None:
            raise Problem(409, "this game is not shared, so anybody may move for all sides")
        if not visitor or seat not in people:
            raise Problem(409, "this is no seat for a person")
        if self.owners[seat] not in ("", visitor):
            raise Problem(409, "somebody else has taken this seat")
        self.owners[seat] = visitor

    def seats_of(self, visitor: str) -> list[int]:
        """The seats of a visitor."""
        return [seat for seat, owner in enumerate(self.owners or []) if owner and owner == visitor]

    def is_free(self, seat: int, people: list[int]) -> bool:
        """Whether somebody may take the seat."""
        return self.owners is not None and seat in people and not self.owners[seat]

    def refuse(self, visitor: str, turn: int | None = None) -> None:
        """Refuse what a visitor wants to do who has no seat, or not that of the turn."""
        if self.owners is None:
            return
        mine = self.seats_of(visitor)
        if not mine:
            raise Problem(409, "you are watching this game; its seats belong to others")
        if turn is not None and turn not in mine:
            raise Problem(409, "it is the turn of the other player")

    def refuse_alone(self, visitor: str) -> None:
        """Refuse what one player must not do without the other, as taking moves back."""
        self.refuse(visitor)
        if self.owners is not None and len({owner for owner in self.owners if owner}) > 1:
            raise Problem(409, "this game is played on two devices, so moves stand and seats are kept")
