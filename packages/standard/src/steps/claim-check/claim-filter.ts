import type { Message } from "@sluice/engine/spi";
import { CompileError } from "@sluice/engine/spi";
import { namePattern, type NamePattern } from "../name-pattern.ts";

type Action = "take" | "leave" | "remove";
type Part = { readonly part: "body" } | { readonly part: "headers" } | { readonly part: "header"; readonly matches: NamePattern };
type Rule = Part & { readonly action: Action };

/** Merges a stored message into the current one. A filter with exclusions only restores everything else. */
export function claimFilter(filter: string | undefined): (current: Message, kept: Message) => void {
  const rules = (filter ?? "")
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .map(parseRule);
  const takesNamed = rules.some(({ action }) => action === "take");
  return (current, kept) => {
    for (const rule of rules) if (rule.action === "remove") remove(current, rule);
    if (decides(rules, takesNamed, (rule) => rule.part === "body")) current.body = kept.body;
    for (const [name, value] of kept.headers) {
      if (decides(rules, takesNamed, (rule) => rule.part === "headers" || (rule.part === "header" && rule.matches(name)))) current.headers.set(name, value);
    }
  };
}

function decides(rules: readonly Rule[], takesNamed: boolean, concerns: (rule: Rule) => boolean): boolean {
  const mine = rules.filter(concerns);
  if (mine.some(({ action }) => action !== "take")) return false;
  return takesNamed ? mine.length > 0 : true;
}

function remove(message: Message, rule: Rule): void {
  if (rule.part === "body") message.body = null;
  else if (rule.part === "headers") message.headers.clear();
  else for (const name of [...message.headers].map(([key]) => key)) if (rule.matches(name)) message.headers.delete(name);
}

function parseRule(text: string): Rule {
  const [, sign, word] = /^(--|[-+]?)(.*)$/.exec(text) as unknown as [string, string, string];
  const action = sign === "--" ? "remove" : sign === "-" ? "leave" : "take";
  if (word === "body" || word === "headers") return { action, part: word };
  if (word.startsWith("header:")) return { action, part: "header", matches: namePattern(word.slice(7)) };
  throw new CompileError("option-invalid", `invalid filter '${text}': use body, headers or header:<pattern>, optionally with the prefix - or --`);
}
