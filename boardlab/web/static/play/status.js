// What happens in a live game, in words: whose turn it is, who played what, how it ended. People and agents have their
// names there, and whoever looks at the page is "you", if one of the seats is his or hers: `me`.

const YOU = "You"; // who has given no other name

/** @param {Api.LiveGameView} view */
export function isOver(view) {
  return view.over || view.resigned !== null;
}

/**
 * The seat of whoever looks at a game that is not shared: that of the only person, or of the only one without another
 * name; null where there is none.
 *
 * @param {Api.LiveGameView} view
 */
export function ownSeat(view) {
  const people = view.seats.flatMap((seat, i) => (seat.kind === "person" ? [i] : []));
  const own = people.length === 1 ? people : people.filter((i) => view.seats[i].label === YOU);
  return own.length === 1 ? own[0] : null;
}

/**
 * What a seat is called on this page. Who has no name and is "You" to himself is the host to others: he has invited them.
 *
 * @param {Api.LiveGameView} view
 * @param {number} seat
 * @param {number | null} me
 */
export function seatLabel(view, seat, me) {
  const { label } = view.seats[seat];
  return label === YOU && view.shared && seat !== me ? (me === null ? "The host" : "Your host") : label;
}

/**
 * How a game ended for whoever looks at it.
 *
 * @param {Api.LiveGameView} view
 * @param {number | null} me
 * @returns {"won" | "lost" | "ended"}
 */
export function ending(view, me) {
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
 * @param {number | null} me
 */
function nameOf(view, seat, me) {
  if (seat === me) return YOU;
  const labels = view.seats.map((_, i) => seatLabel(view, i, me));
  const alike = new Set(labels).size < labels.length;
  return alike ? `${labels[seat]} (${view.players[seat]})` : labels[seat];
}

/**
 * Whose turn it is, or how it ended.
 *
 * @param {Api.LiveGameView} view
 * @param {number | null} me
 */
export function statusText(view, me) {
  if (view.resigned !== null) return `${nameOf(view, view.resigned, me)} resigned`;
  if (view.flagged !== null) return `${nameOf(view, view.flagged, me)} ran out of time`;
  if (view.thinking) return `${nameOf(view, view.thinking.seat, me)} is thinking`;
  if (view.over) return endText(view, me);
  if (view.players.length < 2 && view.to_move !== null) return `Score ${view.scores[0].toLocaleString("en")}`;
  if (view.to_move === null) return view.status.charAt(0).toUpperCase() + view.status.slice(1);
  return view.to_move === me ? "Your turn" : `${nameOf(view, view.to_move, me)} to move`;
}

/**
 * @param {Api.LiveGameView} view
 * @param {number | null} me
 */
function endText(view, me) {
  if (view.players.length < 2) return `Game over, score ${view.scores[0].toLocaleString("en")}`;
  if (isDraw(view)) return "A draw";
  const won = winners(view);
  if (me !== null) return won.includes(me) ? "You won" : "You lost";
  return `${won.map((seat) => nameOf(view, seat, me)).join(" and ")} won`;
}

/**
 * What has just happened, for those who listen: the moves since `ply`, each with who played it.
 *
 * @param {Api.LiveGameView} view
 * @param {number} ply
 * @param {number | null} me
 */
export function newsText(view, ply, me) {
  const told = view.moves.slice(ply, view.ply).map((move) => {
    if (move.player === null) return `${move.name} by chance`;
    return `${nameOf(view, move.player, me)} played ${move.name}`;
  });
  return told.join(". ");
}
