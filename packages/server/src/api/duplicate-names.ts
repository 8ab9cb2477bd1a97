// Finds duplicate names in the objects of a JSON text. JSON.parse silently uses the last one, while another parser of the same text, such as
// that of a proxy, may use the first.
import { jsonStringEnd } from "@sluice/engine/values";

/** The names of objects with more members are stored in a set. */
const maxListedNames = 16;

interface OpenObject {
  /** Index of its first name in the shared list. */
  readonly from: number;
  names: Set<string> | undefined;
}

export interface DuplicateName {
  readonly name: string;
  /** Position of the second occurrence. */
  readonly position: number;
}

/** Scans a valid JSON text in slices, so that a long one does not block the event loop. */
export class DuplicateNames {
  readonly #text: string;
  #at = 0;
  #expectsName = false;
  /** The enclosing objects and lists; undefined for lists. */
  readonly #enclosing: (OpenObject | undefined)[] = [];
  /** The names of all enclosing objects. */
  readonly #names: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** The first duplicate within the next `count` characters; `isDone` is false while there is more to scan. */
  scan(count: number): DuplicateName | undefined {
    const text = this.#text;
    const end = Math.min(text.length, this.#at + count);
    while (this.#at < end) {
      const at = this.#at++;
      const code = text.charCodeAt(at);
      if (code === 0x22) {
        this.#at = jsonStringEnd(text, at);
        if (this.#expectsName && this.#isDuplicate(at)) return { name: this.#names.pop() as string, position: at };
        this.#expectsName = false;
      } else if (code === 0x2c) this.#expectsName = this.#enclosing.at(-1) !== undefined;
      else if (code === 0x7b) this.#open({ from: this.#names.length, names: undefined });
      else if (code === 0x5b) this.#open(undefined);
      else if (code === 0x7d || code === 0x5d) this.#close();
    }
    return undefined;
  }

  get isDone(): boolean {
    return this.#at >= this.#text.length;
  }

  #open(object: OpenObject | undefined): void {
    this.#enclosing.push(object);
    this.#expectsName = object !== undefined;
  }

  #close(): void {
    const object = this.#enclosing.pop();
    if (object !== undefined) this.#names.length = object.from;
  }

  /** Records the name that starts at `start`; true when the object already has it. */
  #isDuplicate(start: number): boolean {
    const object = this.#enclosing.at(-1) as OpenObject;
    const literal = this.#text.slice(start + 1, this.#at - 1);
    const name = literal.includes("\\") ? (JSON.parse(`"${literal}"`) as string) : literal;
    const isDuplicate = object.names?.has(name) ?? this.#names.includes(name, object.from);
    this.#names.push(name);
    if (object.names !== undefined) object.names.add(name);
    else if (this.#names.length - object.from > maxListedNames) object.names = new Set(this.#names.slice(object.from));
    return isDuplicate;
  }
}
