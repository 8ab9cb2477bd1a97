// Arguments after a method name, in Camel's syntax: `total(${body}, 'EUR', 3, true, null)`.
import { CompileError, type Expression, type LanguageScope } from "@sluice/engine/spi";

/** The parts of the context of a step or language that arguments need. */
export interface ArgumentScope {
  bean(reference: string, kind: string): unknown;
  /** Compiles a string with functions in it. */
  template(text: string): Expression;
}

export const argumentScope = (scope: LanguageScope): ArgumentScope => ({
  bean: (reference, kind) => scope.bean(reference, kind),
  template(text) {
    const language = scope.language("simple");
    if (language === undefined) throw new CompileError("language-unknown", "arguments of a method need the language simple, which is not installed");
    return language.compile(text, {}, scope);
  },
});

export interface ParsedCall {
  readonly name: string | undefined;
  /** Undefined when none are written: the function then receives only the exchange. */
  readonly parameters: readonly Expression[] | undefined;
}

export function compileArguments(method: string | undefined, scope: ArgumentScope): ParsedCall {
  const match = /^([^(]*)\((.*)\)$/s.exec(method ?? "");
  if (match === null) return { name: method, parameters: undefined };
  const [, name = "", argumentText = ""] = match;
  const texts = argumentText.trim() === "" ? [] : splitArguments(argumentText);
  return { name: name.trim() === "" ? undefined : name.trim(), parameters: texts.length === 0 ? undefined : texts.map((text) => argument(text.trim(), scope)) };
}

function argument(text: string, scope: ArgumentScope): Expression {
  const quoted = /^(['"])(.*)\1$/s.exec(text)?.[2];
  if (quoted !== undefined) return quoted.includes("${") ? scope.template(quoted) : () => quoted;
  if (/^-?\d+(\.\d+)?$/.test(text)) return () => Number(text);
  const constant = { true: true, false: false, null: null }[text];
  if (constant !== undefined) return () => constant;
  if (text.startsWith("${")) return scope.template(text);
  throw new CompileError("bean-arguments", `'${text}' is not a valid argument of a method`, {
    hint: "write a number, a quoted string, true, false, null or ${…}, or no arguments: the function then receives the exchange",
  });
}

/** Splits at commas outside quotes, braces and brackets. */
function splitArguments(text: string): readonly string[] {
  const parts: string[] = [];
  let [depth, quote, start] = [0, "", 0];
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === "'" || character === '"') quote = character;
    else if ("{([".includes(character)) depth++;
    else if ("})]".includes(character)) depth--;
    else if (character === "," && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}
