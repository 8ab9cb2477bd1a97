// The deploy token of `sluice start`: created once, stored with owner-only permissions.
import { randomBytes } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFolderSync } from "@sluice/connectors/create-folder";

export interface TokenFile {
  readonly path: string;
  readonly token: string;
  /** Removes the file and the folders, if they were created now and nothing else is in them: for a start that is refused. */
  discard(): void;
}

/** Reads the token in the data directory, or creates it. */
export function deployTokenFile(dataDirectory: string): TokenFile {
  const path = join(dataDirectory, "deploy-token");
  const firstFolder = createFolderSync(dataDirectory);
  try {
    const token = readFileSync(path, "utf8").trim();
    if (token !== "") {
      chmodSync(path, 0o600);
      return { path, token, discard: () => undefined };
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const token = randomBytes(24).toString("base64url");
  writeFileSync(path, `${token}\n`, { mode: 0o600 });
  return { path, token, discard: () => discard(path, firstFolder) };
}

function discard(path: string, firstFolder: string | undefined): void {
  if (firstFolder === undefined) return;
  const folder = dirname(path);
  // Anything else in the folder means that the runtime has used it, and its token with it.
  if (readdirSync(folder).length > 1) return;
  rmSync(path);
  for (let empty = folder; empty.startsWith(firstFolder) && readdirSync(empty).length === 0; empty = dirname(empty)) rmdirSync(empty);
}
