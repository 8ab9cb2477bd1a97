// What the values of arguments and flags can name. Checked before the command runs, so that every command rejects a malformed value in the same way.
import { isFlowId } from "@sluice/server/flow-id";
import { UsageError } from "./declaration.ts";

interface Check {
  accepts(text: string): boolean;
  /** Completes `must be …`. */
  readonly text: string;
}

const matches = (pattern: RegExp, text: string): Check => ({ accepts: (value) => pattern.test(value), text });

const checks = {
  // Of everything that the runtime stores as a file: flows and connections. Routes may have any id.
  id: { accepts: isFlowId, text: "an id of letters, digits, '.', '_' and '-'" },
  run: matches(/^run_\w{1,64}$/, "the id of a run, such as run_01JCN…"),
  "run or last": matches(/^(last|run_\w{1,64})$/, "the id of a run, such as run_01JCN…, or last"),
  "dead letter": matches(/^\w{1,100}$/, "an id that `sluice dead-letters` lists"),
  replay: matches(/^\w{1,100}$/, "an id that `sluice dead-letters replay` printed"),
  kamelet: matches(/^[A-Za-z0-9][\w.-]{0,200}$/, "the name of a Kamelet: letters, digits, '.', '_' and '-'"),
  revision: matches(/^[1-9]\d{0,14}$/, "the number of a version that `sluice versions` lists"),
  cursor: matches(/^(newest|\d{1,16}-run_\w{1,64})$/, "newest, or the cursor printed below the previous page"),
  event: matches(/^\S{1,200}\.\d{1,15}$/, "the id of an event, as printed with --json"),
  profile: matches(/^\w[\w.-]{0,99}$/, "the name of a profile: letters, digits, '.', '_' and '-'"),
  assignment: matches(/^[^=]+=/s, "name=value"),
  // Braces, colons and spaces around a name end it in a placeholder.
  parameter: matches(/^[^\s={}:?!](?:[^={}:\n]*[^\s={}:])?=/s, "name=value, without braces and colons in the name"),
} satisfies Record<string, Check>;

export type ValueKind = keyof typeof checks;

/** Throws a UsageError if the value is malformed; `name` is the argument or the flag. */
export function assertKind(name: string, kind: ValueKind | undefined, text: string): void {
  if (kind !== undefined && !checks[kind].accepts(text)) throw new UsageError(`${name} must be ${checks[kind].text}, not '${printable(text)}'`);
}

const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "\uFFFD");
