// The deploy token of `sluice start`: created once, stored with owner-only permissions.
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface TokenFile {
  readonly path: string;
  readonly token: string;
  readonly created: boolean;
}

/** Reads the token in the data directory, or creates it. */
export function deployTokenFile(dataDirectory: string): TokenFile {
  const path = join(dataDirectory, "deploy-token");
  mkdirSync(dataDirectory, { recursive: true });
  try {
    const token = readFileSync(path, "utf8").trim();
    if (token !== "") {
      chmodSync(path, 0o600);
      return { path, token, created: false };
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const token = randomBytes(24).toString("base64url");
  writeFileSync(path, `${token}\n`, { mode: 0o600 });
  return { path, token, created: true };
}
