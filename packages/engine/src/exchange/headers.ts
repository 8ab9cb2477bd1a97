// Message headers: names are case-insensitive, the first spelling of a name is kept. Headers received from outside are stored separately from
// those set by the route, because only the latter may control the engine or be sent: the origin decides, not the name.

interface Entry {
  name: string;
  value: unknown;
}

/** Headers of a received message; copied only when looking up single names is not enough. */
export interface WireHeaders {
  /** Each name once, in any case. */
  entries(): Iterable<readonly [string, unknown]>;
  /** The value of one name (lower-case), or `undetermined` when the complete list must be read. */
  find?(key: string): unknown;
  /** True for headers of a broker's message, which sinks forward. Those of an HTTP request may contain credentials and are not forwarded. */
  readonly forward?: boolean;
}

/** Headers that a source sets, computed when they are read. They count as set by the route. */
interface SourceHeaders {
  /** Each name once. Values that are undefined do not count. */
  entries(): Iterable<readonly [string, unknown]>;
  /** The value of a lower-case name, if present. */
  find(key: string): unknown;
}

/** Returned by {@link WireHeaders.find} when all headers must be read. */
export const undetermined: unique symbol = Symbol.for("sluice.headers.undetermined");

// A plug-in may bundle its own copy of this class, so recognize it by this symbol instead of `instanceof`.
const brand: unique symbol = Symbol.for("sluice.Headers");

export class Headers {
  #own: Map<string, Entry> | undefined = undefined;
  #wire: Map<string, Entry> | undefined = undefined;
  #pending: WireHeaders | undefined;
  /** Never contains a name that the route has set: all of these headers are copied before one is changed. */
  #source: SourceHeaders | undefined;
  #snapshot: readonly (readonly [string, unknown])[] | undefined = undefined;
  #forwardsWire: boolean;

  constructor(wire?: WireHeaders, source?: SourceHeaders) {
    this.#pending = wire;
    this.#source = source;
    this.#forwardsWire = wire?.forward === true;
  }

  /** Headers from a plain object, as if set by a route. */
  static of(values: Readonly<Record<string, unknown>>): Headers {
    const headers = new Headers();
    for (const name of Object.keys(values)) headers.set(name, values[name]);
    return headers;
  }

  get(name: string): unknown {
    return this.getKey(name.toLowerCase());
  }

  /** Like `get`, for callers that lower-cased the name at compile time. */
  getKey(key: string): unknown {
    const own = this.#own?.get(key);
    if (own !== undefined) return own.value;
    const sourceValue = this.#source?.find(key);
    if (sourceValue !== undefined) return sourceValue;
    const found = this.#onWire(key);
    return found === undetermined ? this.#wireLayer()?.get(key)?.value : found;
  }

  /** The value only if the route or its source set it: received headers never control a step. */
  getOwn(name: string): unknown {
    if (this.#own === undefined && this.#source === undefined) return undefined;
    const key = controlKey(name);
    const own = this.#own?.get(key);
    return own === undefined ? this.#source?.find(key) : own.value;
  }

  has(name: string): boolean {
    const key = name.toLowerCase();
    if (this.#own?.has(key) === true || this.#source?.find(key) !== undefined) return true;
    return this.#onWire(key) !== undefined && this.#wireLayer()?.has(key) === true;
  }

  set(name: string, value: unknown): void {
    const key = name.toLowerCase();
    this.#snapshot = undefined;
    if (this.#source?.find(key) !== undefined) this.#copySource();
    this.#own ??= new Map();
    const entry = this.#own.get(key);
    if (entry !== undefined) {
      entry.value = value;
      return;
    }
    // No need to copy wire headers that support single lookups: copying them later skips this name.
    const wire = this.#onWire(key) === undetermined ? this.#wireLayer()?.get(key) : undefined;
    if (wire !== undefined) this.#wire?.delete(key);
    this.#own.set(key, { name: wire?.name ?? name, value });
  }

  /**
   * Sets a header that was received with a broker's reply. Like all received headers it never controls a step. Sinks forward it unless there are
   * headers of an HTTP request.
   */
  setReceived(name: string, value: unknown): void {
    this.delete(name);
    if ((this.#wireLayer()?.size ?? 0) === 0) this.#forwardsWire = true;
    (this.#wire ??= new Map()).set(name.toLowerCase(), { name, value });
  }

  delete(name: string): boolean {
    const key = name.toLowerCase();
    this.#snapshot = undefined;
    if (this.#source?.find(key) !== undefined) this.#copySource();
    const own = this.#own?.delete(key) === true;
    const wire = this.#onWire(key) !== undefined && this.#wireLayer()?.delete(key) === true;
    return own || wire;
  }

  clear(): void {
    this.#own = undefined;
    this.#wire = undefined;
    this.#pending = undefined;
    this.#source = undefined;
    this.#snapshot = undefined;
  }

  get size(): number {
    this.#copySource();
    return (this.#own?.size ?? 0) + (this.#wireLayer()?.size ?? 0);
  }

  /** An independent copy; values are shared. */
  copy(): Headers {
    const copy = new Headers();
    if (this.#pending !== undefined) copy.#pending = this.#pending;
    else copy.#wire = copyEntries(this.#wire);
    copy.#source = this.#source;
    copy.#own = copyEntries(this.#own);
    copy.#forwardsWire = this.#forwardsWire;
    return copy;
  }

  /** Name and value of every header, wire headers first. */
  *[Symbol.iterator](): IterableIterator<[string, unknown]> {
    this.#copySource();
    const wire = this.#wireLayer();
    if (wire !== undefined) for (const entry of wire.values()) yield [entry.name, entry.value];
    if (this.#own !== undefined) for (const entry of this.#own.values()) yield [entry.name, entry.value];
  }

  /** All current headers, wire headers first: the same list until one is set or deleted. */
  snapshot(): readonly (readonly [string, unknown])[] {
    this.#copySource();
    // The wire headers need not be copied unless the route has set headers.
    return (this.#snapshot ??= [...((this.#own === undefined ? this.#pending?.entries() : undefined) ?? this)]);
  }

  /** True when the route or its source set any header. */
  get hasOwn(): boolean {
    this.#copySource();
    return this.#own !== undefined && this.#own.size > 0;
  }

  /** Only the headers that the route or its source set: these may be sent in a reply or an outgoing call. */
  *own(): IterableIterator<[string, unknown]> {
    this.#copySource();
    if (this.#own !== undefined) for (const entry of this.#own.values()) yield [entry.name, entry.value];
  }

  /** The headers of an outgoing message: those the route set, and those received with a broker's message. */
  outgoing(): IterableIterator<[string, unknown]> {
    return this.#forwardsWire ? this[Symbol.iterator]() : this.own();
  }

  toObject(): Record<string, unknown> {
    const object = Object.create(null) as Record<string, unknown>;
    for (const [name, value] of this) object[name] = value;
    return object;
  }

  /** Copies the headers that the source set, in front of those that the route set since. */
  #copySource(): void {
    const source = this.#source;
    if (source === undefined) return;
    this.#source = undefined;
    const later = this.#own;
    this.#own = undefined;
    for (const [name, value] of source.entries()) if (value !== undefined) this.set(name, value);
    if (later !== undefined) for (const [key, entry] of later) (this.#own ??= new Map()).set(key, entry);
  }

  /** Looks up one wire header without copying all; `undetermined` when that is not possible or they were copied already. */
  #onWire(key: string): unknown {
    return this.#pending?.find === undefined ? undetermined : this.#pending.find(key);
  }

  #wireLayer(): Map<string, Entry> | undefined {
    if (this.#pending !== undefined) {
      this.#wire = new Map();
      for (const [name, value] of this.#pending.entries()) {
        const key = name.toLowerCase();
        const own = this.#own?.get(key);
        // Keep the first spelling of a name, which is that of the wire.
        if (own === undefined) this.#wire.set(key, { name, value });
        else own.name = name;
      }
      this.#pending = undefined;
    }
    return this.#wire;
  }

  get [brand](): true {
    return true;
  }
}

/** Lower-case names of headers that control steps and sinks. They are constants, and sinks look up a dozen for each message. */
const controlKeys = new Map<string, string>();
const maxControlKeys = 500;

function controlKey(name: string): string {
  const cached = controlKeys.get(name);
  if (cached !== undefined) return cached;
  const key = name.toLowerCase();
  if (controlKeys.size < maxControlKeys) controlKeys.set(name, key);
  return key;
}

/** True for Headers of any copy of this package. */
export function isHeaders(value: unknown): value is Headers {
  return typeof value === "object" && value !== null && brand in value;
}

function copyEntries(entries: Map<string, Entry> | undefined): Map<string, Entry> | undefined {
  if (entries === undefined || entries.size === 0) return undefined;
  const copy = new Map<string, Entry>();
  for (const [key, entry] of entries) copy.set(key, { name: entry.name, value: entry.value });
  return copy;
}
