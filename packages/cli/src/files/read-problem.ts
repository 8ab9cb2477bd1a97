/** Why a file cannot be read, and what to do: completes `file 'x' …`. */
export function readProblem(code: string | undefined): string {
  if (code === "ENOENT" || code === "ENOTDIR") return "not found: check the path";
  if (code === "EISDIR") return "is a folder: pass a file";
  return `cannot be read (${code}): check its permissions`;
}
