// `cond ? a : b` between a function's braces.
import { comparisons } from "./predicate.ts";
import { isBlank, isQuote, openingAt, scanTopLevel } from "./scan.ts";

export interface BraceTernary {
  readonly condition: string;
  readonly yes: Branch;
  readonly no: Branch;
}
export interface Branch {
  readonly text: string;
  readonly offset: number;
}

/** The parts of a ternary; undefined when the content is not a ternary. */
export function splitTernary(content: string, offset: number): BraceTernary | undefined {
  if (!content.includes("?") || !content.includes(":")) return undefined;
  const found = findSigns(content, offset, (at) => isBlank(content[at - 1]) && isBlank(content[at + 1])) ?? findTightSigns(content, offset);
  if (found === undefined) return undefined;
  const { question, colon } = found;
  return {
    condition: wrapLeft(content.slice(0, question).trim(), offset),
    yes: branch(content, question + 1, colon, offset),
    no: branch(content, colon + 1, content.length, offset),
  };
}

interface Signs {
  readonly question: number;
  readonly colon: number;
}

/** The first `?` and its matching `:`, among the characters that count as signs. */
function findSigns(content: string, offset: number, isSign: (at: number) => boolean): Signs | undefined {
  let question = -1;
  let colon = -1;
  let nested = 0;
  scanTopLevel(content, offset, (at, char) => {
    if ((char !== "?" && char !== ":") || !isSign(at)) return false;
    if (char === "?") {
      if (question < 0) question = at;
      else nested++;
    } else if (question >= 0 && nested-- === 0) {
      colon = at;
      return true;
    }
    return false;
  });
  return colon < 0 ? undefined : { question, colon };
}

/** `header.n > 0 ?'a':'b'`: without spaces around them, `?` and `:` count only after an unambiguous condition. */
function findTightSigns(content: string, offset: number): Signs | undefined {
  const found = findSigns(content, offset, (at) => content[at] === ":" || !".~:".includes(content[at + 1] ?? "."));
  if (found === undefined) return undefined;
  const condition = content.slice(0, found.question).trim();
  const isCondition = openingAt(condition, 0) > 0 || wrapLeft(condition, offset) !== condition || condition === "true" || condition === "false";
  return isCondition ? found : undefined;
}

function branch(content: string, from: number, to: number, offset: number): Branch {
  const raw = content.slice(from, to);
  return { text: raw.trim(), offset: offset + from + (raw.length - raw.trimStart().length) };
}

/** `header.n > 0` is short for `${header.n} > 0`: the left side of the first comparison may omit the braces. */
function wrapLeft(condition: string, offset: number): string {
  if (openingAt(condition, 0) > 0 || isQuote(condition[0]) || condition === "true" || condition === "false") return condition;
  let end = -1;
  scanTopLevel(condition, offset, (at, char) => {
    if (char !== " " || end >= 0) return false;
    if (comparisons.some(({ text }) => condition.startsWith(`${text} `, at + 1))) end = at;
    return end >= 0;
  });
  return end < 0 ? condition : `\${${condition.slice(0, end).trim()}}${condition.slice(end)}`;
}
