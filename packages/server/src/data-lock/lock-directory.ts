// Prevents a second process from using a data directory. The lock is an open SQLite read transaction: the operating system releases it
// when the process ends for any reason, and it works across containers. A starting process needs the file exclusively for a moment,
// which a reader prevents. The lock is a read transaction because a file open for writing would prevent remounting the disk read-only.
// A second file serializes these steps.
import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadDriver, findDriver, type Database } from "../store/sqlite.ts";
import { LockedError, type DirectoryLock } from "./directory-lock.ts";
import { inUse, isRunning, ownRecord, readHolder, removeRecord } from "./lock-holder.ts";
import { lockByProcessId } from "./process-id-lock.ts";

/** For a directory that no other process uses. */
export const unlocked: DirectoryLock = { isHeld: true, warning: undefined, release: () => undefined };

const databaseName = ".lock.db";
const gateName = ".lock-gate.db";
const recordName = ".lock";
/** How long to wait for other processes that start at the same time. */
const gateMs = 2_000;

/** Acquires the lock; throws a LockedError when another process holds it or it cannot be acquired. */
export function lockDirectory(directory: string): DirectoryLock {
  mkdirSync(directory, { recursive: true, mode: 0o750 });
  const unwritable = whyUnwritable(directory);
  if (unwritable !== undefined)
    return { ...unlocked, isHeld: false, warning: `The data directory cannot be locked (${unwritable}): a second process is not prevented from using it` };
  const driver = findDriver();
  const record = join(directory, recordName);
  return driver === undefined ? lockByProcessId(record) : lockBySystem(directory, driver, record);
}

function lockBySystem(directory: string, driver: string, record: string): DirectoryLock {
  const database = hold(directory, driver, record);
  const before = readHolder(record);
  // A process without a driver, or of an earlier version, has only this record as its lock.
  if (before !== undefined && !before.hasSystemLock && before.pid !== process.pid && isRunning(before)) {
    unlock(database);
    throw inUse(before);
  }
  const mine = ownRecord(true);
  try {
    writeFileSync(record, mine, { mode: 0o640 });
  } catch {
    // The record is informational; on a full disk the lock works without it.
  }
  return {
    isHeld: true,
    warning: undefined,
    release() {
      removeRecord(record, mine);
      unlock(database);
    },
  };
}

function hold(directory: string, driver: string, record: string): Database {
  const path = join(directory, databaseName);
  try {
    const gate = takeExclusively(join(directory, gateName), driver, gateMs);
    try {
      unlock(takeExclusively(path, driver, 0));
      return read(path, driver);
    } finally {
      unlock(gate);
    }
  } catch (error) {
    const { message, errcode } = error as Error & { readonly errcode?: number };
    if (error instanceof LockedError) throw error;
    if (errcode === busy || message.includes("database is locked")) throw inUse(readHolder(record));
    throw new LockedError(`cannot lock the data directory ${directory}: ${message}; it must be on a local disk`);
  }
}

function takeExclusively(path: string, driver: string, waitMs: number): Database {
  const unwritable = existsSync(path) ? whyUnwritable(path) : undefined;
  // SQLite would open the file read-only, and read-only transactions do not exclude other processes.
  if (unwritable !== undefined) throw new LockedError(`cannot lock the data directory: ${path} is not writable (${unwritable}); fix its owner and mode`);
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

function read(path: string, driver: string): Database {
  const database = new (loadDriver(driver).DatabaseSync)(path, { readOnly: true });
  database.exec("BEGIN");
  database.exec("SELECT count(*) FROM sqlite_master");
  return database;
}

/** SQLITE_BUSY */
const busy = 5;

/** Closes the file. SQLite keeps it open while prepared statements exist, so none may be used. */
function unlock(database: Database): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // No transaction was started.
  }
  database.close();
}

/** The error code; undefined if this process may write. */
function whyUnwritable(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown";
  }
}
