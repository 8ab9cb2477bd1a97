// Checks a file of the flow directory without reading it.
import { lstatSync, realpathSync, statSync, type Stats } from "node:fs";
import { dirname, sep } from "node:path";

export interface FoundFile {
  readonly facts: Stats;
  /** Why it must not be read. */
  readonly problem: string | undefined;
}

/** Undefined for anything that is not a file. */
export function inspectFile(path: string, maxBytes: number): FoundFile | undefined {
  try {
    const own = lstatSync(path, { throwIfNoEntry: false });
    if (own?.isSymbolicLink() === true) return inspectLink(path, own, maxBytes);
    return own?.isFile() === true ? { facts: own, problem: sizeProblem(own, maxBytes) } : undefined;
  } catch {
    return undefined;
  }
}

/** Follows links inside the directory, as used by mounted ConfigMaps. A link to the outside could expose any file of the machine. */
function inspectLink(path: string, own: Stats, maxBytes: number): FoundFile | undefined {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts?.isFile() !== true) return undefined;
  const isInside = realpathSync(path).startsWith(`${realpathSync(dirname(path))}${sep}`);
  const problem = "the file is a link to outside the directory: copy the file here instead";
  return isInside ? { facts, problem: sizeProblem(facts, maxBytes) } : { facts: own, problem };
}

function sizeProblem({ size }: Stats, maxBytes: number): string | undefined {
  return size > maxBytes ? `the file is too large: ${size} bytes, the limit is ${maxBytes}` : undefined;
}
