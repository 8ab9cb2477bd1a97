import { compileLinearPattern, type LinearPattern } from "../language-values/linear-pattern.ts";

/** The part of RegExp that JSONata uses, matched in linear time. */
export class LinearRegExp {
  lastIndex = 0;
  readonly source: string;
  readonly #pattern: LinearPattern;

  constructor(pattern: RegExp | string, flags?: string) {
    this.source = typeof pattern === "string" ? pattern : pattern.source;
    this.#pattern = compileLinearPattern(this.source, flags ?? (typeof pattern === "string" ? "" : pattern.flags));
  }

  exec(text: string): RegExpExecArray | null {
    const found = this.lastIndex > text.length ? undefined : this.#pattern.findFrom(text, this.lastIndex);
    if (found === undefined) {
      this.lastIndex = 0;
      return null;
    }
    this.lastIndex = found.end;
    const groups = found.groups.map((group) => group?.text as string);
    return Object.assign([text.slice(found.start, found.end), ...groups] as unknown as RegExpExecArray, { index: found.start, input: text });
  }

  test(text: string): boolean {
    return this.exec(text) !== null;
  }
}
