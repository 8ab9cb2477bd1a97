// Where a long JSON text can be split: `JSON.parse` cannot be interrupted, so a long list or object is parsed in pieces that end at its commas.
// Recorded while the text is scanned.

/** Characters per piece: parsing one takes a millisecond or two. */
const pieceLength = 64 * 1024;

/** A list or object that is longer than a piece. */
export interface LongContainer {
  /** Positions of the opening and the closing bracket. */
  readonly start: number;
  readonly end: number;
  /** Where the key of this container begins; unused inside a list. */
  readonly keyAt: number;
  /** Its members that are long themselves, in order. */
  readonly inner: readonly LongContainer[];
  /** Positions of commas between its members, about one piece apart. */
  readonly cuts: readonly number[];
}

export class JsonLayout {
  /** By depth, for the container that is open there; the outermost has depth 1. */
  readonly #starts: Int32Array;
  readonly #pieces: Int32Array;
  readonly #keys: Int32Array;
  readonly #cuts = new Map<number, number[]>();
  readonly #long = new Map<number, LongContainer[]>();

  constructor(maxDepth: number) {
    this.#starts = new Int32Array(maxDepth + 1);
    this.#pieces = new Int32Array(maxDepth + 1);
    this.#keys = new Int32Array(maxDepth + 1);
  }

  /** The outermost list or object once it is closed; undefined when it is short or missing. */
  get root(): LongContainer | undefined {
    return this.#long.get(1)?.[0];
  }

  open(depth: number, at: number): void {
    this.#starts[depth] = at;
    this.#pieces[depth] = at;
  }

  key(depth: number, at: number): void {
    this.#keys[depth] = at;
  }

  comma(depth: number, at: number): void {
    if (at - (this.#pieces[depth] as number) < pieceLength) return;
    this.#pieces[depth] = at;
    const cuts = this.#cuts.get(depth);
    if (cuts === undefined) this.#cuts.set(depth, [at]);
    else cuts.push(at);
  }

  close(depth: number, at: number): void {
    const start = this.#starts[depth] as number;
    if (at - start < pieceLength) return;
    const container = { start, end: at, keyAt: this.#keys[depth - 1] as number, inner: this.#long.get(depth + 1) ?? [], cuts: this.#cuts.get(depth) ?? [] };
    this.#long.delete(depth + 1);
    this.#cuts.delete(depth);
    const siblings = this.#long.get(depth);
    if (siblings === undefined) this.#long.set(depth, [container]);
    else siblings.push(container);
  }
}
