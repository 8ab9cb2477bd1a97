// Reads a Dockerfile: its stages and their instructions.
import { readFileSync } from "node:fs";

interface Instruction {
  readonly keyword: string;
  readonly text: string;
}

export interface Stage {
  readonly from: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

export function readDockerfile(path: string): readonly Stage[] {
  const lines = readFileSync(path, "utf8")
    .replaceAll(/^\s*#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n");
  const instructions = lines.flatMap((line) => {
    const [, keyword, text] = /^([A-Z]+)\s+(.+)$/.exec(line) ?? [];
    return keyword === undefined || text === undefined ? [] : [{ keyword, text }];
  });
  const starts = instructions.flatMap(({ keyword }, index) => (keyword === "FROM" ? [index] : []));
  return starts.map((start, index) => {
    const [from = "", , name] = (instructions[start] as Instruction).text.split(/\s+/);
    return { from, name, instructions: instructions.slice(start + 1, starts[index + 1]) };
  });
}

/** The texts of a stage's instructions with a keyword. */
export const textsOf = ({ instructions }: Stage, keyword: string): readonly string[] =>
  instructions.filter((each) => each.keyword === keyword).map(({ text }) => text);

/** The sources and the target of a COPY instruction, and the stage they come from. */
export function parseCopy(text: string): { readonly from: string | undefined; readonly sources: readonly string[]; readonly target: string } {
  const words = text.split(/\s+/);
  const from = words[0]?.startsWith("--from=") === true ? words.shift()?.slice("--from=".length) : undefined;
  return { from, sources: words.slice(0, -1), target: words.at(-1) as string };
}
