// The headers that a source adds to its messages. Each is computed when it is read: most routes read few of them.

interface Reader<T> {
  readonly name: string;
  read(source: T): unknown;
}

export class SourceHeaders<T> {
  readonly #readers: ReadonlyMap<string, Reader<T>>;

  /** By name, in order; a header whose value is undefined is not set. */
  constructor(values: Readonly<Record<string, (source: T) => unknown>>) {
    this.#readers = new Map(Object.entries(values).map(([name, read]) => [name.toLowerCase(), { name, read }]));
  }

  /** The headers of one message. They are read later, so `source` must not change. */
  of(source: T): AddedHeaders {
    return new HeadersOf(this.#readers, source);
  }
}

export interface AddedHeaders {
  entries(): Iterable<readonly [string, unknown]>;
  find(key: string): unknown;
}

class HeadersOf<T> implements AddedHeaders {
  readonly #readers: ReadonlyMap<string, Reader<T>>;
  readonly #source: T;

  constructor(readers: ReadonlyMap<string, Reader<T>>, source: T) {
    this.#readers = readers;
    this.#source = source;
  }

  *entries(): Iterable<readonly [string, unknown]> {
    for (const { name, read } of this.#readers.values()) yield [name, read(this.#source)];
  }

  find(key: string): unknown {
    return this.#readers.get(key)?.read(this.#source);
  }
}
