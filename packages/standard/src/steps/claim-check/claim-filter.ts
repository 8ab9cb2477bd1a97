import type { Message } from "@sluice/engine/spi";
import { CompileError } from "@sluice/engine/spi";
import { namePattern, type NamePattern } from "../name-pattern.ts";

type Action = "include" | "exclude" | "remove";
type Part = { readonly part: "body" } | { readonly part: "headers" } | { readonly part: "header"; readonly matches: NamePattern };
type Rule = Part & { readonly action: Action };

/** Merges a stored message into the current one. A filter that only excludes parts restores all others. */
export function claimFilter(filter: string | undefined): (current: Message, stored: Message) => void {
  const rules = (filter ?? "")
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .map(parseRule);
  const hasIncludes = rules.some(({ action }) => action === "include");
  return (current, stored) => {
    for (const rule of rules) if (rule.action === "remove") remove(current, rule);
    if (isRestored(rules, hasIncludes, (rule) => rule.part === "body")) current.body = stored.body;
    for (const [name, value] of stored.headers) {
      if (isRestored(rules, hasIncludes, (rule) => rule.part === "headers" || (rule.part === "header" && rule.matches(name)))) current.headers.set(name, value);
    }
  };
}

function isRestored(rules: readonly Rule[], hasIncludes: boolean, applies: (rule: Rule) => boolean): boolean {
  const matching = rules.filter(applies);
  if (matching.some(({ action }) => action !== "include")) return false;
  return hasIncludes ? matching.length > 0 : true;
}

function remove(message: Message, rule: Rule): void {
  if (rule.part === "body") message.body = null;
  else if (rule.part === "headers") message.headers.clear();
  else for (const name of [...message.headers].map(([key]) => key)) if (rule.matches(name)) message.headers.delete(name);
}

function parseRule(text: string): Rule {
  const [, sign, word] = /^(--|[-+]?)(.*)$/.exec(text) as unknown as [string, string, string];
  const action = sign === "--" ? "remove" : sign === "-" ? "exclude" : "include";
  if (word === "body" || word === "headers") return { action, part: word };
  if (word.startsWith("header:")) return { action, part: "header", matches: namePattern(word.slice(7)) };
  throw new CompileError("option-invalid", `invalid filter '${text}': use body, headers or header:<pattern>, optionally with the prefix - or --`);
}
