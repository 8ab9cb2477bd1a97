/** Shorter cuts are always copies. */
const shortestView = 13;

/** The same text in memory of its own: a piece cut from a large text is a view of it and keeps all of it alive. For what is kept. */
export function ownText(text: string): string {
  // Put together anew it is laid out anew, and what is cut from that keeps one character more than it needs.
  return text.length < shortestView ? text : `_${text}`.slice(1);
}
