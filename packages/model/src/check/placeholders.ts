// Resolves `{{name}}`, `{{name:default}}`, `{{?name}}`, `{{!name}}` and the `env:`, `sys:` and `boolean:` functions, including nested ones and those inside
// property values. Cycles are rejected; nesting depth, the length of each text and the total length are limited.
export interface PlaceholderOptions {
  /** The value of a name; functions include their prefix, such as `env:HOME` and `sys:user.dir`. */
  property(name: string): string | undefined;
  /** How to treat a name without a value: as an error, or unchanged for a later binding (templates). */
  readonly unresolved?: "fault" | "keep";
}

export type Resolution =
  /** `hasUnresolved`: the text still contains unresolved placeholders. */
  | { readonly kind: "text"; readonly text: string; readonly hasUnresolved: boolean }
  /** A `{{?name}}` without value: the option counts as not written. */
  | { readonly kind: "absent" }
  /** `name`: the invalid placeholder as written, when it is directly in the text. */
  | { readonly kind: "fault"; readonly code: string; readonly message: string; readonly name?: string };

const maxDepth = 20;
const maxText = 65_536;
const maxTotal = 4 * 1024 * 1024;
/** Marks a missing `{{?name}}` while the surrounding text is expanded; documents cannot contain it. */
const gap = "\u0000";

class PlaceholderFault extends Error {
  readonly code: string;
  readonly placeholder: string | undefined;
  constructor(code: string, message: string, placeholder?: string) {
    super(message);
    this.code = code;
    this.placeholder = placeholder;
  }
}

export class Placeholders {
  readonly #options: PlaceholderOptions;
  readonly #cache = new Map<string, string | undefined>();
  readonly #used = new Set<string>();
  #total = 0;
  #hasUnresolved = false;

  constructor(options: PlaceholderOptions) {
    this.#options = options;
  }

  /** The names used so far, in order. */
  get used(): string[] {
    return [...this.#used];
  }

  resolve(text: string): Resolution {
    if (!text.includes("{{")) return { kind: "text", text, hasUnresolved: false };
    this.#hasUnresolved = false;
    try {
      const resolved = this.#expand(text, []);
      this.#total += resolved.length;
      if (this.#total > maxTotal) throw new PlaceholderFault("placeholder-limit", `the placeholders of this flow expand to more than ${maxTotal} characters`);
      if (resolved === gap) return { kind: "absent" };
      return { kind: "text", text: resolved.includes(gap) ? withoutGaps(resolved) : resolved, hasUnresolved: this.#hasUnresolved };
    } catch (error) {
      if (error instanceof PlaceholderFault) {
        const { code, message, placeholder } = error;
        return { kind: "fault", code, message, ...(placeholder === undefined ? {} : { name: placeholder }) };
      }
      throw error;
    }
  }

  #expand(text: string, active: readonly string[]): string {
    let result = "";
    let at = 0;
    let escaped = false;
    const literal = (part: string): string => (escaped ? part.replaceAll("\\}}", "}}") : part);
    for (let start = text.indexOf("{{"); start !== -1; start = text.indexOf("{{", at)) {
      if (text[start - 1] === "\\") {
        result += `${literal(text.slice(at, start - 1))}{{`;
        at = start + 2;
        escaped = true;
        continue;
      }
      const end = closingIndex(text, start + 2);
      if (end === -1) throw new PlaceholderFault("placeholder-invalid", `'${clip(text.slice(start))}' has no closing '}}'`);
      result += literal(text.slice(at, start)) + this.#value(text.slice(start + 2, end), active);
      at = end + 2;
      if (result.length > maxText) throw lengthFault(text.slice(start + 2, end));
    }
    return result + literal(text.slice(at));
  }

  #value(inner: string, active: readonly string[]): string {
    if (active.length >= maxDepth) throw new PlaceholderFault("placeholder-limit", `the placeholder '${clip(inner)}' is nested deeper than ${maxDepth} levels`);
    const sign = inner.startsWith("?") || inner.startsWith("!") ? inner.charAt(0) : "";
    const body = inner.slice(sign.length);
    const colon = defaultSeparator(body);
    const name = this.#expand(body.slice(0, colon), [...active, ""]).trim();
    const fallback = colon < body.length ? body.slice(colon + 1) : undefined;
    if (name.startsWith("boolean:")) return String(this.#evaluateBoolean(name.slice("boolean:".length), active));
    const value = this.#lookup(name, active) ?? (fallback === undefined ? undefined : this.#expand(fallback, [...active, ""]));
    if (value === undefined) return this.#missing(sign, name, inner);
    return sign === "!" ? negate(value, name) : value;
  }

  #missing(sign: string, name: string, inner: string): string {
    if (this.#options.unresolved === "keep") {
      this.#hasUnresolved = true;
      return `{{${inner}}}`;
    }
    if (sign === "?") return gap;
    throw new PlaceholderFault("placeholder-unresolved", `no value for parameter '${clip(name)}'`, `{{${inner}}}`);
  }

  #lookup(name: string, active: readonly string[]): string | undefined {
    this.#used.add(name);
    if (active.includes(name)) {
      const cycle = [...active.slice(active.indexOf(name)).filter((step) => step !== ""), name];
      throw new PlaceholderFault("placeholder-circular", `the placeholder '${clip(name)}' refers to itself (${clip(cycle.join(" -> "))})`);
    }
    if (this.#cache.has(name)) return this.#cache.get(name);
    const raw = this.#options.property(name);
    const value = raw?.includes("{{") ? this.#expand(raw, [...active, name]) : raw;
    if (value !== undefined && value.length > maxText) throw lengthFault(name);
    this.#cache.set(name, value);
    return value;
  }

  /** `name`, `!name`, `left == right` or `left != right`, where each side is a quoted string or a name. */
  #evaluateBoolean(expression: string, active: readonly string[]): boolean {
    const operator = expression.includes("!=") ? "!=" : expression.includes("==") ? "==" : undefined;
    const side = (part: string): string => {
      const text = part.trim();
      return /^(['"]).*\1$/s.test(text) ? text.slice(1, -1) : (this.#lookup(text, active) ?? text);
    };
    if (operator === undefined) {
      const not = expression.trim().startsWith("!");
      return (side(not ? expression.trim().slice(1) : expression).toLowerCase() === "true") !== not;
    }
    const at = expression.indexOf(operator);
    return (side(expression.slice(0, at)) === side(expression.slice(at + 2))) === (operator === "==");
  }
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function lengthFault(name: string): PlaceholderFault {
  return new PlaceholderFault("placeholder-limit", `the placeholder '${clip(name)}' expands to more than ${maxText} characters`);
}

function negate(value: string, name: string): string {
  const word = value.trim().toLowerCase();
  if (word === "true" || word === "false") return word === "true" ? "false" : "true";
  throw new PlaceholderFault("placeholder-invalid", `the value of '{{!${clip(name)}}}' must be true or false`);
}

/** The index of the `}}` that closes the placeholder whose content starts at `from`; -1 when it is not closed. */
function closingIndex(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length - 1; at++) {
    if (text[at] === "}" && text[at + 1] === "}") {
      if (--depth === 0) return at;
      at++;
    } else if (text[at] === "{" && text[at + 1] === "{") {
      depth++;
      at++;
    }
  }
  return -1;
}

/** The start of the default: the first colon outside nested placeholders and after the prefix of a function. */
function defaultSeparator(body: string): number {
  const prefix = /^\s*(?:env|sys|service|bean|boolean):/.exec(body)?.[0].length ?? 0;
  if (body.trimStart().startsWith("boolean:")) return body.length;
  let depth = 0;
  for (let at = prefix; at < body.length; at++) {
    const pair = body.slice(at, at + 2);
    if (pair === "{{") depth++;
    else if (pair === "}}") depth--;
    else if (body[at] === ":" && depth === 0) return at;
    if (pair === "{{" || pair === "}}") at++;
  }
  return body.length;
}

/** In an endpoint URI a missing value removes its whole option; anywhere else it becomes empty text. */
function withoutGaps(text: string): string {
  const query = text.indexOf("?");
  if (query === -1) return text.replaceAll(gap, "");
  const options = text
    .slice(query + 1)
    .split("&")
    .filter((option) => !option.includes(gap));
  return text.slice(0, query).replaceAll(gap, "") + (options.length === 0 ? "" : `?${options.join("&")}`);
}
