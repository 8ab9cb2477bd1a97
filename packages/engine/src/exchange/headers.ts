// Message headers: names ignore case, the first spelling of a name is kept. Headers that came over the wire are kept
// apart from those the route set, because only the latter may steer the engine or be sent back: origin decides, not name.

interface Entry {
  name: string;
  value: unknown;
}

/** Headers as they stand on the wire; taken over whole only when somebody asks for more than one name. */
export interface WireHeaders {
  /** Each name once, in whatever case. */
  entries(): Iterable<readonly [string, unknown]>;
  /** The value of one name (lower-case), or `unsure` when only the whole can tell. */
  find?(key: string): unknown;
}

/** What {@link WireHeaders.find} answers when the whole layer must be made. */
export const unsure: unique symbol = Symbol("unsure");

export class Headers {
  #own: Map<string, Entry> | undefined = undefined;
  #wire: Map<string, Entry> | undefined = undefined;
  #pending: WireHeaders | undefined;
  #snapshot: readonly (readonly [string, unknown])[] | undefined = undefined;

  constructor(wire?: WireHeaders) {
    this.#pending = wire;
  }

  /** The headers of a plain object or of pairs, as if a route had set them. */
  static of(values: Readonly<Record<string, unknown>>): Headers {
    const headers = new Headers();
    for (const name of Object.keys(values)) headers.set(name, values[name]);
    return headers;
  }

  get(name: string): unknown {
    return this.getKey(name.toLowerCase());
  }

  /** As `get`, for callers that lower-cased the name once when compiling. */
  getKey(key: string): unknown {
    const own = this.#own?.get(key);
    if (own !== undefined) return own.value;
    const found = this.#onWire(key);
    return found === unsure ? this.#wireLayer()?.get(key)?.value : found;
  }

  /** The value only if the route itself set it: what came over the wire never steers a step. */
  getOwn(name: string): unknown {
    return this.#own?.get(name.toLowerCase())?.value;
  }

  has(name: string): boolean {
    const key = name.toLowerCase();
    return this.#own?.has(key) === true || (this.#onWire(key) !== undefined && this.#wireLayer()?.has(key) === true);
  }

  set(name: string, value: unknown): void {
    const key = name.toLowerCase();
    this.#snapshot = undefined;
    this.#own ??= new Map();
    const entry = this.#own.get(key);
    if (entry !== undefined) {
      entry.value = value;
      return;
    }
    // A wire that knows its names one by one need not be taken over: when it is, it leaves this name out.
    const wire = this.#onWire(key) === unsure ? this.#wireLayer()?.get(key) : undefined;
    if (wire !== undefined) this.#wire?.delete(key);
    this.#own.set(key, { name: wire?.name ?? name, value });
  }

  delete(name: string): boolean {
    const key = name.toLowerCase();
    this.#snapshot = undefined;
    const own = this.#own?.delete(key) === true;
    const wire = this.#onWire(key) !== undefined && this.#wireLayer()?.delete(key) === true;
    return own || wire;
  }

  clear(): void {
    this.#own = undefined;
    this.#wire = undefined;
    this.#pending = undefined;
    this.#snapshot = undefined;
  }

  get size(): number {
    return (this.#own?.size ?? 0) + (this.#wireLayer()?.size ?? 0);
  }

  /** A copy whose entries can be changed without touching this one; values are shared. */
  copy(): Headers {
    const copy = new Headers();
    if (this.#pending !== undefined) copy.#pending = this.#pending;
    else copy.#wire = copyEntries(this.#wire);
    copy.#own = copyEntries(this.#own);
    return copy;
  }

  /** Name and value of every header, wire headers first. */
  *[Symbol.iterator](): IterableIterator<[string, unknown]> {
    const wire = this.#wireLayer();
    if (wire !== undefined) for (const entry of wire.values()) yield [entry.name, entry.value];
    if (this.#own !== undefined) for (const entry of this.#own.values()) yield [entry.name, entry.value];
  }

  /** Every header as it is now, wire headers first: the same list until one is set or taken away. */
  snapshot(): readonly (readonly [string, unknown])[] {
    // Unless the route set some, the wire need not be taken over for it.
    return (this.#snapshot ??= [...((this.#own === undefined ? this.#pending?.entries() : undefined) ?? this)]);
  }

  /** Whether the route set any. */
  get hasOwn(): boolean {
    return this.#own !== undefined && this.#own.size > 0;
  }

  /** Only the headers the route set: what a reply or an outgoing call may carry. */
  *own(): IterableIterator<[string, unknown]> {
    if (this.#own !== undefined) for (const entry of this.#own.values()) yield [entry.name, entry.value];
  }

  toObject(): Record<string, unknown> {
    const object = Object.create(null) as Record<string, unknown>;
    for (const [name, value] of this) object[name] = value;
    return object;
  }

  /** What the wire tells about one name without being taken over; `unsure` when it cannot, or when it was. */
  #onWire(key: string): unknown {
    return this.#pending?.find === undefined ? unsure : this.#pending.find(key);
  }

  #wireLayer(): Map<string, Entry> | undefined {
    if (this.#pending !== undefined) {
      this.#wire = new Map();
      for (const [name, value] of this.#pending.entries()) {
        const key = name.toLowerCase();
        const own = this.#own?.get(key);
        // The first spelling of a name is kept, and the wire's was first.
        if (own === undefined) this.#wire.set(key, { name, value });
        else own.name = name;
      }
      this.#pending = undefined;
    }
    return this.#wire;
  }
}

function copyEntries(entries: Map<string, Entry> | undefined): Map<string, Entry> | undefined {
  if (entries === undefined || entries.size === 0) return undefined;
  const copy = new Map<string, Entry>();
  for (const [key, entry] of entries) copy.set(key, { name: entry.name, value: entry.value });
  return copy;
}
