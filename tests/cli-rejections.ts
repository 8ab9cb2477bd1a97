// Rejections of the sluice command: one sentence that says what to do on standard error, nothing on standard output, no stack trace, and exit code 2.
import { expect } from "vitest";
import type { Callable } from "../packages/cli/src/command/declaration.ts";
import type { CliSession } from "./cli-session.ts";

/** Says how to fix it: what to pass, or where to look. */
const fix = /see `sluice|pass |use |check |choose |must (be|not)|expected |did you mean|needs |exclude each other|add |'? is .*; Sluice reads YAML|lists the /;

export interface Rejection {
  readonly args: readonly string[];
  readonly exit?: number;
  readonly sentence?: RegExp;
  readonly env?: Readonly<Record<string, string>>;
}

/** What is wrong with the rejection; undefined if nothing is. */
async function defectOf(
  session: CliSession,
  { path }: Pick<Callable, "path">,
  { args, exit = 2, sentence = fix, env = {} }: Rejection,
): Promise<string | undefined> {
  const words = [...path.split(" "), ...args];
  const result = await session.run(words, { env });
  const line = `sluice ${words.map((word) => (word === "" ? "''" : word)).join(" ")}`;
  const defects = [
    ...(result.exit === exit ? [] : [`exit code ${result.exit} instead of ${exit}`]),
    ...(result.output === "" ? [] : ["writes to standard output"]),
    ...(/^sluice [a-z -]+: [^\n]+\n$/.test(result.stderr) && result.stderr.startsWith(`sluice ${path}: `) ? [] : ["not one sentence of the command"]),
    ...(sentence.test(result.stderr) ? [] : [`does not match ${sentence}`]),
    // oxlint-disable-next-line no-control-regex -- color codes
    ...(/[a-z)']\. [A-Z]|\u001B|\n\s+at /.test(result.stderr) ? ["several sentences, colors or a stack trace"] : []),
  ];
  return defects.length === 0 ? undefined : `${line}\n  ${defects.join(", ")}\n  ${result.stderr}`;
}

export async function expectRejections(session: CliSession, callable: Pick<Callable, "path">, rejections: readonly Rejection[]): Promise<void> {
  const defects: string[] = [];
  for (const rejection of rejections) {
    const defect = await defectOf(session, callable, rejection);
    if (defect !== undefined) defects.push(defect);
  }
  expect(defects).toEqual([]);
  expect(rejections.length).toBeGreaterThan(0);
}
