// The embedded store: one SQLite file for what must outlive the process message by message. Opened when it is first
// needed; a runtime that uses neither queues nor dead letters has neither file nor driver.
import { constants, existsSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Ids, Log } from "@sluice/engine";
import { DeadLetterTable } from "./dead-letter-table.ts";
import { GroupCommit } from "./group-commit.ts";
import { QueueTable } from "./queue-table.ts";
import { schema } from "./schema.ts";
import { driverPath, loadDriver } from "./sqlite.ts";

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
interface OpenStore {
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
  close(): Promise<void>;
}

export function createDurableStore(parts: StoreParts): DurableStore {
  const path = join(parts.directory, "durable.sqlite");
  let opening: Promise<OpenFile> | undefined;
  let current: OpenFile | undefined;
  let closed = false;

  const openOnce = (): Promise<OpenStore> => {
    if (closed) return Promise.reject(new Error("the durable store is closed"));
    opening ??= openFile(path, parts).then(
      (file) => {
        if (!closed) current = file;
        return file;
      },
      (error: unknown) => {
        opening = undefined;
        parts.log.write("ERROR", "sluice.store", `the durable store ${path} cannot be used: ${(error as Error).message}`);
        throw new Error(`the durable store cannot be used: ${reasonOf(error)}`, { cause: error });
      },
    );
    return opening;
  };

  return {
    open: openOnce,
    get current() {
      return current;
    },
    openExisting: async () => current ?? (opening !== undefined || existsSync(path) ? openOnce() : undefined),
    async close() {
      closed = true;
      const file = await opening?.catch(() => undefined);
      current = undefined;
      opening = undefined;
      await file?.close();
    },
  };
}

/** Why a file cannot be opened, without saying where it is: callers are shown it. */
function reasonOf(error: unknown): string {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  return syscall === undefined ? message : `the disk refuses it (${code})`;
}

interface OpenFile extends OpenStore {
  close(): Promise<void>;
}

async function openFile(path: string, { directory, clock, ids, log, limits }: StoreParts): Promise<OpenFile> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // Made by us so that it is nobody else's to read from its first byte on.
  await (await open(path, constants.O_CREAT | constants.O_WRONLY | constants.O_APPEND | (constants.O_NONBLOCK ?? 0), 0o600)).close();
  const driver = driverPath();
  const commit = await GroupCommit.open({ path, driver, schema });
  if (commit.unclean) log.write("INFO", "sluice.store", `the durable store ${path} was not closed last time; it was checked and is whole`);
  const { DatabaseSync } = loadDriver(driver);
  const database = new DatabaseSync(path);
  database.exec("PRAGMA query_only = 1");
  database.exec("PRAGMA busy_timeout = 5000");
  const tidying = tidyWhenIdle(commit, clock);
  const deadLetters = new DeadLetterTable({ database, commit, ids, log, now: () => clock.now(), limits });
  const queues = new QueueTable({ database, commit, ids, clock, limits, deadLetters, suspectAll: commit.unclean });
  return {
    queues,
    deadLetters,
    groups: commit,
    async close() {
      tidying.cancel();
      database.close();
      await commit.close();
    },
  };
}

/** Folds the log file into the database when nobody has written for a while. */
function tidyWhenIdle(commit: GroupCommit, clock: Clock): { readonly cancel: () => void } {
  let lastWrite = 0;
  let cancel: (() => void) | undefined;
  const look = (): void => {
    const quiet = clock.monotonic() - lastWrite;
    cancel = quiet < idleMs ? clock.after(idleMs - quiet, look) : undefined;
    if (cancel === undefined) commit.tidy();
  };
  commit.onWritten = () => {
    lastWrite = clock.monotonic();
    cancel ??= clock.after(idleMs, look);
  };
  return { cancel: () => cancel?.() };
}
