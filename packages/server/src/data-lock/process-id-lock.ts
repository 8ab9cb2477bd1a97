// The lock without a SQLite driver: a file that names its owner. Processes of other hosts or containers cannot be checked and count as
// running. Known race: processes that start at the same instant may all replace the lock of a killed process.
import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { howToGetSqlite } from "@sluice/connectors";
import { LockedError, type DirectoryLock } from "./directory-lock.ts";
import { inUseError, isRunning, ownRecord, readHolder, removeRecord } from "./lock-holder.ts";

const maxAttempts = 10;

export function lockByProcessId(record: string): DirectoryLock {
  const ownText = ownRecord(false);
  const temporary = `${record}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    writeFileSync(temporary, ownText, { mode: 0o640, flag: "wx" });
    for (let attempt = 0; !claim(temporary, record); attempt++) {
      if (attempt === maxAttempts) throw inUseError(readHolder(record));
      removeStale(record);
    }
  } catch (error) {
    if (error instanceof LockedError) throw error;
    throw new LockedError(`cannot lock the data directory: ${(error as Error).message}`);
  } finally {
    remove(temporary);
  }
  const warning = `The data directory is locked by process id only, which does not detect processes in other containers: ${howToGetSqlite()}`;
  return { isHeld: true, warning, release: () => removeRecord(record, ownText) };
}

/** Creates the lock file with a hard link, which fails if the file exists. */
function claim(temporary: string, record: string): boolean {
  try {
    linkSync(temporary, record);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function removeStale(record: string): void {
  const staleText = textOf(record);
  const holder = readHolder(record);
  if (holder !== undefined && isRunning(holder)) throw inUseError(holder);
  const renamed = `${record}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    renameSync(record, renamed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  // Another process replaced the stale lock after it was read: restore its lock.
  if (textOf(renamed) !== staleText) claim(renamed, record);
  remove(renamed);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Already removed.
  }
}
