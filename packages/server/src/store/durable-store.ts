// The embedded store: one SQLite file for what must outlive the process message by message. Opened when it is first
// needed; a runtime that uses neither queues nor dead letters has neither file nor driver.
import { existsSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Ids, Log } from "@sluice/engine";
import { DeadLetterTable } from "./dead-letter-table.ts";
import { GroupCommit } from "./group-commit.ts";
import { QueueTable } from "./queue-table.ts";
import { migrate } from "./schema.ts";
import { openDatabase, type Database } from "./sqlite.ts";

/** After this long without a write the log file is folded into the database. */
const idleMs = 5_000;

export interface StoreLimits {
  readonly queueBytes: number;
  readonly maxMessageBytes: number;
  readonly deadLetters: number;
  readonly deadLetterBytes: number;
}

export interface StoreParts {
  readonly directory: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly limits: StoreLimits;
}

/** The store once it is open. */
export interface OpenStore {
  readonly queues: QueueTable;
  readonly deadLetters: DeadLetterTable;
  /** Transactions and writes so far. */
  readonly groups: { readonly groups: number; readonly items: number };
}

export interface DurableStore {
  open(): Promise<OpenStore>;
  readonly current: OpenStore | undefined;
  /** Opens the store only if there is one on disk already. */
  openExisting(): Promise<OpenStore | undefined>;
  /** Writes what waits and closes the file. */
  close(): void;
}

export function createDurableStore(parts: StoreParts): DurableStore {
  const path = join(parts.directory, "durable.sqlite");
  let opening: Promise<OpenFile> | undefined;
  let current: OpenFile | undefined;
  let closed = false;

  const open = (): Promise<OpenStore> => {
    if (closed) return Promise.reject(new Error("the durable store is closed"));
    opening ??= openFile(path, parts).then(
      (file) => {
        if (closed) file.close();
        return (current = file);
      },
      (error: unknown) => {
        opening = undefined;
        throw new Error(`the durable store ${path} cannot be used: ${(error as Error).message}`, { cause: error });
      },
    );
    return opening;
  };

  return {
    open,
    get current() {
      return current;
    },
    openExisting: async () => current ?? (opening !== undefined || existsSync(path) ? open() : undefined),
    close() {
      closed = true;
      current?.close();
      current = undefined;
    },
  };
}

interface OpenFile extends OpenStore {
  close(): void;
}

async function openFile(path: string, { directory, clock, ids, log, limits }: StoreParts): Promise<OpenFile> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const database = await openDatabase(path);
  try {
    await chmod(path, 0o600);
    configure(database);
    const unclean = checkAfterCrash(database, path, log);
    migrate(database);
    markClean(database, false);
    const idle = idleWork(database, clock);
    const commit = new GroupCommit(database, idle.postpone);
    const deadLetters = new DeadLetterTable({ database, commit, ids, log, now: () => clock.now(), limits });
    const queues = new QueueTable({ database, commit, ids, clock, limits, deadLetters, suspectAll: unclean });
    return {
      queues,
      deadLetters,
      groups: commit,
      close() {
        idle.cancel();
        commit.flush();
        markClean(database, true);
        database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

function configure(database: Database): void {
  // Before the first table: pages that fall free can then be given back to the disk.
  database.exec("PRAGMA auto_vacuum = INCREMENTAL");
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = FULL");
  database.exec("PRAGMA busy_timeout = 5000");
  database.exec("PRAGMA wal_autocheckpoint = 4000");
  database.exec("PRAGMA journal_size_limit = 67108864");
}

/** True when the last process ended without closing the store; the file is then checked before it is trusted. */
function checkAfterCrash(database: Database, path: string, log: Log): boolean {
  const hasTables = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'state'").get() !== undefined;
  if (!hasTables || database.prepare("SELECT value FROM state WHERE name = 'clean'").get()?.["value"] !== "no") return false;
  const found = database.prepare("PRAGMA integrity_check(1)").get();
  const verdict = String(Object.values(found ?? {})[0]);
  if (verdict !== "ok") throw new Error(`the file is damaged (${verdict}); restore it, or move it away to begin with an empty store`);
  log.write("INFO", "sluice.store", `the durable store ${path} was not closed last time; it was checked and is whole`);
  return true;
}

function markClean(database: Database, clean: boolean): void {
  database.prepare("INSERT INTO state (name, value) VALUES ('clean', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value").run(clean ? "yes" : "no");
}

/** Housekeeping when nobody writes for a while. */
function idleWork(database: Database, clock: Clock): { readonly postpone: () => void; readonly cancel: () => void } {
  let lastWrite = 0;
  let cancel: (() => void) | undefined;
  const look = (): void => {
    cancel = undefined;
    const quiet = clock.monotonic() - lastWrite;
    if (quiet < idleMs) {
      cancel = clock.after(idleMs - quiet, look);
      return;
    }
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.exec("PRAGMA incremental_vacuum(2000)");
  };
  return {
    postpone() {
      lastWrite = clock.monotonic();
      cancel ??= clock.after(idleMs, look);
    },
    cancel: () => cancel?.(),
  };
}
