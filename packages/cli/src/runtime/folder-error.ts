// Errors of a folder that cannot be used or created, as a sentence that says what to do.

const reasons: Readonly<Partial<Record<string, string>>> = {
  EACCES: "this user has no write permission",
  EPERM: "writing is not permitted",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  ENOTDIR: "the path is a file",
  EEXIST: "the path is a file",
  ENOENT: "no folder can be created there",
};

/** Why the folder cannot be used; undefined for other errors. */
export function folderProblem(error: unknown): string | undefined {
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  // Other files may be missing too, such as one that a setting names.
  if (code === undefined || path === undefined || (code === "ENOENT" && syscall !== "mkdir")) return undefined;
  return reasons[code];
}

/** The message for an unusable data directory, otherwise undefined. */
export const dataDirErrorText = (error: unknown): string | undefined => unusable(error, "data directory", "directory with --data-dir");

/** The message for an unusable workspace of the designer, otherwise undefined. */
export const workspaceErrorText = (error: unknown): string | undefined =>
  (error as NodeJS.ErrnoException).syscall === "mkdir" ? unusable(error, "workspace", "folder with --workspace") : undefined;

function unusable(error: unknown, what: string, other: string): string | undefined {
  const why = folderProblem(error);
  return why === undefined ? undefined : `cannot use the ${what} '${(error as NodeJS.ErrnoException).path}' (${why}): fix it, or choose another ${other}`;
}
