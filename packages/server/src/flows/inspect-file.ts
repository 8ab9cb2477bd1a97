// Checks a file of the flow directory without reading it.
import { lstatSync, realpathSync, statSync, type Stats } from "node:fs";
import { dirname, sep } from "node:path";

export interface FoundFile {
  readonly stats: Stats;
  /** Why it must not be read. */
  readonly problem: string | undefined;
}

/** Undefined for anything that is not a file. */
export function inspectFile(path: string, maxBytes: number): FoundFile | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() === true) return inspectLink(path, stats, maxBytes);
    return stats?.isFile() === true ? { stats, problem: sizeProblem(stats, maxBytes) } : undefined;
  } catch {
    return undefined;
  }
}

/** Follows links to files in the directory, which mounted ConfigMaps use. A link to a file outside it could expose any file of the machine. */
function inspectLink(path: string, linkStats: Stats, maxBytes: number): FoundFile | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return undefined;
  const isInside = realpathSync(path).startsWith(`${realpathSync(dirname(path))}${sep}`);
  const problem = "the file is a link to a file outside the directory: replace the link with a copy of that file";
  return isInside ? { stats, problem: sizeProblem(stats, maxBytes) } : { stats: linkStats, problem };
}

function sizeProblem({ size }: Stats, maxBytes: number): string | undefined {
  return size > maxBytes ? `the file is too large: ${size} bytes, the limit is ${maxBytes}` : undefined;
}
