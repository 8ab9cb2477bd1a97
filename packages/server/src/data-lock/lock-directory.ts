// Prevents a second process from using a data directory. The lock is an open SQLite read transaction: the operating system releases it
// when the process ends for any reason, and it works across containers. A starting process briefly opens the file exclusively,
// which fails while another process reads it. The lock is a read transaction because a file that is open for writing would prevent
// remounting the disk read-only. A second file, the gate, serializes these steps.
import { accessSync, constants, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFolderSync } from "@sluice/connectors/create-folder";
import { findSqlite } from "@sluice/connectors";
import { loadDriver, type Database } from "../store/sqlite.ts";
import { LockedError, type DirectoryLock } from "./directory-lock.ts";
import { inUseError, isRunning, ownRecord, readHolder, removeRecord } from "./lock-holder.ts";
import { lockByProcessId } from "./process-id-lock.ts";

/** A lock that does nothing, for a directory that no other process uses. */
export const noLock: DirectoryLock = { isHeld: true, warning: undefined, release: () => undefined };

const databaseName = ".lock.db";
const gateName = ".lock-gate.db";
const recordName = ".lock";
/** How long to wait for other processes that start at the same time. */
const gateMs = 2_000;

/** Acquires the lock; throws a LockedError when another process holds it or it cannot be acquired. */
export function lockDirectory(directory: string): DirectoryLock {
  createFolderSync(directory, 0o750);
  const errorCode = writeErrorCode(directory);
  if (errorCode !== undefined)
    return { ...noLock, isHeld: false, warning: `The data directory cannot be locked (${errorCode}): a second process is not prevented from using it` };
  const driver = findSqlite();
  const record = join(directory, recordName);
  return driver === undefined ? lockByProcessId(record) : lockBySystem(directory, driver, record);
}

function lockBySystem(directory: string, driver: string, record: string): DirectoryLock {
  const database = acquire(directory, driver, record);
  const holder = readHolder(record);
  // For a process without a driver, or of an earlier version, this record is the only lock.
  if (holder !== undefined && !holder.hasSystemLock && holder.pid !== process.pid && isRunning(holder)) {
    unlock(database);
    throw inUseError(holder);
  }
  const ownText = ownRecord(true);
  try {
    writeFileSync(record, ownText, { mode: 0o640 });
  } catch {
    // The record is informational; on a full disk the lock works without it.
  }
  return {
    isHeld: true,
    warning: undefined,
    release() {
      removeRecord(record, ownText);
      unlock(database);
    },
  };
}

function acquire(directory: string, driver: string, record: string): Database {
  const path = join(directory, databaseName);
  try {
    const gate = openExclusively(join(directory, gateName), driver, gateMs);
    try {
      unlock(openExclusively(path, driver, 0));
      return openReader(path, driver);
    } finally {
      unlock(gate);
    }
  } catch (error) {
    const { message, errcode } = error as Error & { readonly errcode?: number };
    if (error instanceof LockedError) throw error;
    if (errcode === sqliteBusy || message.includes("database is locked")) throw inUseError(readHolder(record));
    throw new LockedError(`cannot lock the data directory ${directory}: ${message}; the directory must be on a local disk`);
  }
}

function openExclusively(path: string, driver: string, waitMs: number): Database {
  const errorCode = existsSync(path) ? writeErrorCode(path) : undefined;
  // SQLite would open the file read-only, and read-only transactions do not exclude other processes.
  if (errorCode !== undefined) throw new LockedError(`cannot lock the data directory: ${path} is not writable (${errorCode}); fix its owner and mode`);
  const database = new (loadDriver(driver).DatabaseSync)(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${waitMs}`);
    // The file stays empty: without a journal on disk a transaction that writes nothing needs no space.
    database.exec("PRAGMA journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    unlock(database);
    throw error;
  }
}

function openReader(path: string, driver: string): Database {
  const database = new (loadDriver(driver).DatabaseSync)(path, { readOnly: true });
  database.exec("BEGIN");
  database.exec("SELECT count(*) FROM sqlite_master");
  return database;
}

/** The SQLite result code SQLITE_BUSY. */
const sqliteBusy = 5;

/** Closes the file. SQLite keeps it open while prepared statements exist, so none may be used. */
function unlock(database: Database): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // No transaction was started.
  }
  database.close();
}

/** Why this process cannot write to the path: an error code; undefined if it can. */
function writeErrorCode(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown";
  }
}
