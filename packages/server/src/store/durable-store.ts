// The embedded store: one SQLite file for queued messages and dead letters. It is opened on first use; a runtime that uses neither
// has no file and loads no driver.
import { constants, existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "@sluice/connectors/create-folder";
import type { Clock, Ids, Log } from "@sluice/engine";
import { DeadLetterTable } from "./dead-letter-table.ts";
import { mayOpen, noSpaceReason } from "./disk-space.ts";
import { GroupCommit, type StoreProblem } from "./group-commit.ts";
import { QueueTable } from "./queue-table.ts";
import { schema } from "./schema.ts";
import { driverPath, loadDriver, type Database } from "./sqlite.ts";
import { StoreError } from "./store-failure.ts";
import { WriteThreads } from "./write-threads.ts";

/** After this long without a write, the write-ahead log is checkpointed and free pages are released. */
const idleMs = 5_000;
/** Delay between attempts to reopen the store after a disk error. */
const reopenMs = 100;

/** Prefix of all errors about a store that cannot be opened. */
export const storeUnusable = "the durable store cannot be used";

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
  /** Why the store must not be opened. */
  readonly readOnlyReason?: string | undefined;
  /** Called when the store was opened after a disk error. */
  opened?(): void;
}

/** The open store. */
interface OpenStore {
  readonly queues: QueueTable;
  readonly deadLetters: DeadLetterTable;
  /** Number of transactions and of writes so far. */
  readonly groups: { readonly groups: number; readonly items: number };
}

export interface DurableStore {
  open(): Promise<OpenStore>;
  readonly current: OpenStore | undefined;
  /** Why the store cannot be opened or written now. */
  readonly problem: StoreProblem | undefined;
  /** Opens the store if its file exists. */
  openExisting(): Promise<OpenStore | undefined>;
  /** Commits pending writes and closes the file. */
  close(): Promise<void>;
}

export function createDurableStore(parts: StoreParts): DurableStore {
  const path = join(parts.directory, "durable.sqlite");
  let opening: Promise<OpenFile> | undefined;
  let current: OpenFile | undefined;
  let openProblem: StoreProblem | undefined;
  let reopening: NodeJS.Timeout | undefined;
  let closed = false;
  let threads: WriteThreads | undefined;

  const openOnce = (): Promise<OpenStore> => {
    if (closed) return Promise.reject(new Error("the durable store is closed"));
    if (parts.readOnlyReason !== undefined) return Promise.reject(new Error(`${storeUnusable}: ${parts.readOnlyReason}`));
    opening ??= openFile(path, parts, () => (threads ??= new WriteThreads({ path, driver: driverPath(), schema }))).then(
      (file) => {
        openProblem = undefined;
        if (!closed) current = file;
        return file;
      },
      (error: unknown) => {
        opening = undefined;
        throw new Error(`${storeUnusable}: ${recordOpenFailure(error as Error)}`, { cause: error });
      },
    );
    return opening;
  };

  function recordOpenFailure(error: Error): string {
    if (openProblem?.error !== error.message) parts.log.write("ERROR", "sluice.store", `Cannot use the durable store ${path}: ${error.message}`);
    openProblem = { error: error.message, since: openProblem?.since ?? Date.now() };
    if (isDiskFault(error)) reopenLater();
    return reasonOf(error);
  }

  function reopenLater(): void {
    if (!closed) reopening ??= setTimeout(reopen, reopenMs).unref();
  }

  function reopen(): void {
    reopening = undefined;
    if (!mayOpen(path)) return reopenLater();
    openOnce().then(
      () => {
        parts.log.write("INFO", "sluice.store", `Opened the durable store ${path}: the disk accepts writes again`);
        parts.opened?.();
      },
      () => undefined,
    );
  }

  return {
    open: openOnce,
    get current() {
      return current;
    },
    get problem() {
      return openProblem ?? current?.problem;
    },
    openExisting: async () => current ?? (opening !== undefined || existsSync(path) ? openOnce() : undefined),
    async close() {
      closed = true;
      clearTimeout(reopening);
      const file = await opening?.catch(() => undefined);
      current = undefined;
      opening = undefined;
      await file?.close();
      await threads?.close();
    },
  };
}

const diskCodes = ["ENOSPC", "EDQUOT", "EIO", "EROFS", "EMFILE", "ENFILE"];

/** True for errors that may resolve without repairing the file. */
function isDiskFault(error: Error): boolean {
  return error instanceof StoreError ? error.isDisk : diskCodes.includes((error as NodeJS.ErrnoException).code ?? "");
}

/** Why a file cannot be opened, without its path: the text is shown to callers. */
function reasonOf(error: unknown): string {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  return syscall === undefined ? message : `disk error (${code})`;
}

interface OpenFile extends OpenStore {
  readonly problem: StoreProblem | undefined;
  close(): Promise<void>;
}

async function openFile(path: string, { directory, clock, ids, log, limits }: StoreParts, threads: () => WriteThreads): Promise<OpenFile> {
  await createFolder(directory, 0o700);
  // Created here so that other users can never read it.
  await (await open(path, constants.O_CREAT | constants.O_WRONLY | constants.O_APPEND | (constants.O_NONBLOCK ?? 0), 0o600)).close();
  const commit = await GroupCommit.open({ threads: threads(), noSpaceReason: () => noSpaceReason(path) });
  try {
    if (commit.unclean) log.write("INFO", "sluice.store", `The durable store ${path} was not closed properly last time; its integrity check passed`);
    const database = openReader(path);
    commit.onProblem = (problem) => log.write(problem === undefined ? "INFO" : "ERROR", "sluice.store", stateText(problem));
    const compaction = compactWhenIdle(commit, clock);
    const deadLetters = new DeadLetterTable({ database, commit, ids, log, now: () => clock.now(), limits });
    const queues = new QueueTable({ database, commit, ids, clock, limits, deadLetters, suspectAll: commit.unclean });
    return {
      queues,
      deadLetters,
      groups: commit,
      get problem() {
        return commit.problem;
      },
      async close() {
        compaction.cancel();
        database.close();
        await commit.close();
      },
    };
  } catch (error) {
    await commit.close();
    throw error;
  }
}

function openReader(path: string): Database {
  const database = new (loadDriver(driverPath()).DatabaseSync)(path);
  database.exec("PRAGMA query_only = 1");
  database.exec("PRAGMA busy_timeout = 5000");
  return database;
}

const stateText = (problem: StoreProblem | undefined): string =>
  problem === undefined ? "The durable store is writable again" : `The durable store cannot write: ${problem.error}; retrying`;

/** Checkpoints the write-ahead log and releases free pages when there has been no write for a while. */
function compactWhenIdle(commit: GroupCommit, clock: Clock): { readonly cancel: () => void } {
  let lastWrite = 0;
  let cancel: (() => void) | undefined;
  const checkIdle = (): void => {
    const sinceWrite = clock.monotonic() - lastWrite;
    cancel = sinceWrite < idleMs ? clock.after(idleMs - sinceWrite, checkIdle) : undefined;
    if (cancel === undefined) commit.compact();
  };
  commit.onWritten = () => {
    lastWrite = clock.monotonic();
    cancel ??= clock.after(idleMs, checkIdle);
  };
  return { cancel: () => cancel?.() };
}
