// What happens in a live game, in words: whose turn it is, who played what, how it ended. People and agents have their
// names there, and the only person is "you".

/** @param {Api.LiveGameView} view */
export function isOver(view) {
  return view.over || view.resigned !== null;
}

/**
 * The seat of the only person; null where none or several play.
 *
 * @param {Api.LiveGameView} view
 */
export function onlyPerson(view) {
  const people = view.seats.flatMap((seat, i) => (seat.kind === "person" ? [i] : []));
  return people.length === 1 ? people[0] : null;
}

/**
 * How a game ended for the only person.
 *
 * @param {Api.LiveGameView} view
 * @returns {"won" | "lost" | "ended"}
 */
export function ending(view) {
  const me = onlyPerson(view);
  if (me === null || view.players.length < 2 || isDraw(view)) return "ended";
  return winners(view).includes(me) ? "won" : "lost";
}

/** @param {Api.LiveGameView} view */
export function winners({ scores }) {
  const best = Math.max(...scores);
  return scores.flatMap((score, i) => (score === best ? [i] : []));
}

/** @param {Api.LiveGameView} view */
function isDraw({ scores }) {
  return Math.min(...scores) === Math.max(...scores);
}

/**
 * @param {Api.LiveGameView} view
 * @param {number} seat
 */
function nameOf(view, seat) {
  return seat === onlyPerson(view) ? "You" : namesAlike(view) ? seatName(view, seat) : view.seats[seat].label;
}

/**
 * @param {Api.LiveGameView} view
 * @param {number} seat
 */
function seatName(view, seat) {
  return `${view.seats[seat].label} (${view.players[seat]})`;
}

/** @param {Api.LiveGameView} view */
function namesAlike({ seats }) {
  return new Set(seats.map((seat) => seat.label)).size < seats.length;
}

/**
 * Whose turn it is, or how it ended.
 *
 * @param {Api.LiveGameView} view
 */
export function statusText(view) {
  if (view.resigned !== null) return `${nameOf(view, view.resigned)} resigned`;
  if (view.flagged !== null) return `${nameOf(view, view.flagged)} ran out of time`;
  if (view.thinking) return `${nameOf(view, view.thinking.seat)} is thinking`;
  if (view.over) return endText(view);
  if (view.players.length < 2 && view.to_move !== null) return `Score ${view.scores[0].toLocaleString("en")}`;
  if (view.to_move === null) return view.status.charAt(0).toUpperCase() + view.status.slice(1);
  return view.to_move === onlyPerson(view) ? "Your turn" : `${nameOf(view, view.to_move)} to move`;
}

/** @param {Api.LiveGameView} view */
function endText(view) {
  if (view.players.length < 2) return `Game over, score ${view.scores[0].toLocaleString("en")}`;
  if (isDraw(view)) return "A draw";
  const won = winners(view);
  const me = onlyPerson(view);
  if (me !== null) return won.includes(me) ? "You won" : "You lost";
  return `${won.map((seat) => nameOf(view, seat)).join(" and ")} won`;
}

/**
 * What has just happened, for those who listen: the moves since `ply`, each with who played it.
 *
 * @param {Api.LiveGameView} view
 * @param {number} ply
 */
export function newsText(view, ply) {
  const told = view.moves.slice(ply, view.ply).map((move) => {
    if (move.player === null) return `${move.name} by chance`;
    return `${nameOf(view, move.player)} played ${move.name}`;
  });
  return told.join(". ");
}
