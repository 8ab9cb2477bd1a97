// Addresses that contain expressions. A value is encoded for its position: it cannot add options, start a query, leave the
// path or add another address. An expression at the very start is not encoded, because it is the address itself; the allowed
// schemes of the flow restrict it. The same applies to an expression with operators, such as `${header.next} ?: 'direct:default'`.
import type { Span } from "@sluice/model";
import { CompileError, FlowError, type Compiler, type Exchange, type Expression } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";

interface Part {
  readonly text: string;
  readonly isExpression: boolean;
}

/** Compiles an address of literal text and `${…}`; `delimiter` separates several addresses in the text. */
export function addressTemplate(text: string, compiler: Compiler, span: Span, delimiter?: string): Expression<string> {
  const parts = partsOf(text);
  if (parts.length < 2 || hasOperators(parts)) {
    if (parts.length > 1 && !isExpressionChain(parts)) throw mixedOperatorError(text);
    const expression = compiler.expression({ language: "simple", text, options: {}, span });
    return (exchange) => asText(expression(exchange));
  }
  const isWeb = /^\s*https?:/i.test(text);
  const literal = parts.map((part) => (part.isExpression ? "x" : part.text)).join("");
  let inQuery = false;
  const writers = parts.map((part, index): ((exchange: Exchange) => string) => {
    if (!part.isExpression) {
      inQuery =
        delimiter !== undefined && part.text.includes(delimiter)
          ? part.text.slice(part.text.lastIndexOf(delimiter)).includes("?")
          : inQuery || part.text.includes("?");
      return () => part.text;
    }
    const value = compiler.expression({ language: "simple", text: part.text, options: {}, span });
    if (index === 0) return (exchange) => asText(value(exchange));
    const encode = inQuery ? encodeOption : isWeb ? encodeWebPath : encodePath;
    return (exchange) => encode(asText(value(exchange)), delimiter);
  });
  const allowsParentSegments = hasParentSegment(literal);
  return (exchange) => {
    let address = "";
    for (const write of writers) address += write(exchange);
    if (!allowsParentSegments && hasParentSegment(address)) throw parentSegmentError(address);
    return address;
  };
}

/** Encodes a value for one option, so that a message cannot add further options. */
export function encodeOption(value: string): string {
  return encodeURIComponent(value.replaceAll(/\p{Cs}/gu, "\uFFFD")).replaceAll(/[()]/g, (bracket) => (bracket === "(" ? "%28" : "%29"));
}

function encodePath(value: string, delimiter?: string): string {
  return encodeDelimiter(value.replaceAll(/[%?#&\\\p{Cc}]/gu, percentEncode), delimiter);
}

/** Encodes a value for a web path; existing percent-encoding is kept, because web addresses are not decoded. */
function encodeWebPath(value: string, delimiter?: string): string {
  return encodeDelimiter(value.replaceAll(/%(?![0-9a-f]{2})|[?#&\\@\p{Cc}]/giu, percentEncode), delimiter);
}

function encodeDelimiter(value: string, delimiter: string | undefined): string {
  return delimiter === undefined || delimiter === "" || delimiter === "false"
    ? value
    : value.replaceAll(delimiter, (found) => found.replaceAll(/[^]/g, percentEncode));
}

function percentEncode(character: string): string {
  const encoded = encodeURIComponent(character);
  return encoded === character ? `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}` : encoded;
}

/** True when a path segment is `..`, encoded or not. */
function hasParentSegment(address: string): boolean {
  const path = address.split("?", 1)[0] as string;
  return /(?:^|[/:\\])(?:\.|%2e){2}(?:[/\\]|%2f|%5c|$)/i.test(path);
}

function parentSegmentError(address: string): FlowError {
  return new FlowError(
    "org.apache.camel.ResolveEndpointFailedException",
    `endpoint '${address.slice(0, 200)}' is rejected: a value from the message points outside the path of the address; remove '..' from the value`,
    {
      code: "endpoint-refused",
    },
  );
}

/** Splits text into literals and `${…}` functions. */
function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (let at = 0; at < text.length;) {
    const end = functionEnd(text, at);
    if (end === undefined) {
      at++;
      continue;
    }
    if (at > from) parts.push({ text: text.slice(from, at), isExpression: false });
    parts.push({ text: text.slice(at, end), isExpression: true });
    from = at = end;
  }
  if (from < text.length) parts.push({ text: text.slice(from), isExpression: false });
  return parts;
}

const opening = /\$(?:simple)?\{/y;

function openingAt(text: string, at: number): number {
  opening.lastIndex = at;
  return opening.exec(text)?.[0].length ?? 0;
}

/** End of the function that starts at `at`; undefined when none starts there or it is not closed. */
function functionEnd(text: string, at: number): number | undefined {
  const length = openingAt(text, at);
  if (length === 0) return undefined;
  let depth = 1;
  for (let index = at + length; index < text.length; index++) {
    const inner = openingAt(text, index);
    if (inner > 0) {
      depth++;
      index += inner - 1;
    } else if (text[index] === "\\" && text[index + 1] === "}") index++;
    else if (text[index] === "}" && --depth === 0) return index + 1;
  }
  return undefined;
}

/** True when the address has only functions and quoted strings without functions, joined by operators. */
function isExpressionChain(parts: readonly Part[]): boolean {
  const outline = parts.map((part) => (part.isExpression ? "\0" : part.text)).join("");
  return /^\s*(?:\0|'[^'\0]*'|"[^"\0]*")(?:\s*(?:\?:|\??~>)\s*(?:\0|'[^'\0]*'|"[^"\0]*"))*\s*$/.test(outline);
}

/** Values in such text cannot be encoded for their position, so a message could add options. */
function mixedOperatorError(text: string): CompileError {
  return new CompileError("address-operators", `the address '${text.slice(0, 100)}' combines text with operators such as '?:' or with '$init{'`, {
    hint: "set a variable in an earlier step and use it in the address: ${variable.name}",
  });
}

/** Text with operators must be compiled as a whole: its parts have no meaning on their own. */
function hasOperators(parts: readonly Part[]): boolean {
  return parts.some((part) => !part.isExpression && /(?:^|\s)(?:\?:|\??~>)\s|\$init\{/.test(`${part.text} `));
}
