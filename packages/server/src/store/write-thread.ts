// The one writer, in a thread of its own: flushing to disk takes as long as the disk takes, and nobody else should wait for
// it. The function below is sent to the thread as text, so it may use nothing from this module but types.
import type { Database, Driver, Row, SqlValue, Statement } from "./sqlite.ts";

export interface Operation {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** The rows a RETURNING gives back are wanted. */
  readonly rows?: true;
}

export interface ThreadSettings {
  readonly path: string;
  readonly driver: string;
  /** What brings the tables from each version to the next. */
  readonly schema: readonly string[];
}

/** A statement by its number and its values; bytes are told by where they lie in the group's bytes. */
export interface PackedOperation {
  readonly statement: number;
  readonly values: readonly (null | number | string | readonly [from: number, to: number])[];
  readonly rows: boolean;
}

export interface PackedGroup {
  readonly kind: "write";
  /** Statements that were not numbered before. */
  readonly statements: readonly string[];
  readonly items: readonly (readonly PackedOperation[])[];
  readonly bytes: Uint8Array;
}

export type ToThread = PackedGroup | { readonly kind: "tidy" } | { readonly kind: "close" };

/** What came of one item: rows of its operations that asked for them, or why it was not written. */
export type Written = { readonly rows: readonly Row[] } | { readonly error: string };

export type FromThread =
  | { readonly kind: "ready"; readonly unclean: boolean }
  | { readonly kind: "failed"; readonly error: string }
  | { readonly kind: "written"; readonly results: readonly Written[] }
  | { readonly kind: "closed" };

type Require = (name: string) => unknown;

/** Runs in the thread. */
export function writeThread(require: Require): void {
  interface Port {
    postMessage(message: FromThread): void;
    on(event: "message", listener: (message: ToThread) => void): void;
    close(): void;
  }
  const { parentPort: port, workerData } = require("node:worker_threads") as { parentPort: Port; workerData: ThreadSettings };
  const statements: Statement[] = [];
  let database: Database;

  function open(): boolean {
    const { DatabaseSync } = require(workerData.driver) as Driver;
    database = new DatabaseSync(workerData.path);
    // Before the first table: pages that fall free can then be given back to the disk.
    for (const pragma of [
      "auto_vacuum = INCREMENTAL",
      "journal_mode = WAL",
      "synchronous = FULL",
      "busy_timeout = 5000",
      "wal_autocheckpoint = 4000",
      "journal_size_limit = 67108864",
    ])
      database.exec(`PRAGMA ${pragma}`);
    const unclean = endedUncleanly();
    if (unclean) check();
    migrate();
    markClean("no");
    return unclean;
  }

  function endedUncleanly(): boolean {
    if (database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'state'").get() === undefined) return false;
    return database.prepare("SELECT value FROM state WHERE name = 'clean'").get()?.["value"] === "no";
  }

  function check(): void {
    const verdict = String(Object.values(database.prepare("PRAGMA integrity_check(1)").get() ?? {})[0]);
    if (verdict !== "ok") throw new Error(`the file is damaged (${verdict}); restore it, or move it away to begin with an empty store`);
  }

  function migrate(): void {
    const found = Number(database.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
    const { schema } = workerData;
    if (found > schema.length) throw new Error(`it was written by a later version of Sluice (schema ${found}, this one knows ${schema.length})`);
    for (let version = found; version < schema.length; version++) transaction(() => database.exec(`${schema[version]}; PRAGMA user_version = ${version + 1}`));
  }

  function markClean(value: string): void {
    database.prepare("INSERT INTO state (name, value) VALUES ('clean', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value").run(value);
  }

  function transaction<T>(work: () => T): T {
    database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      database.exec("COMMIT");
      return result;
    } catch (error) {
      try {
        database.exec("ROLLBACK");
      } catch {
        // SQLite rolled back by itself, as it does when the disk is full.
      }
      throw error;
    }
  }

  function apply(operations: readonly PackedOperation[], bytes: Uint8Array): Written {
    const rows: Row[] = [];
    for (const { statement, values, rows: wanted } of operations) {
      const unpacked = values.map((value) => (Array.isArray(value) ? bytes.subarray(value[0], value[1]) : value)) as SqlValue[];
      if (wanted) rows.push(...(statements[statement] as Statement).all(...unpacked));
      else (statements[statement] as Statement).run(...unpacked);
    }
    return { rows };
  }

  function write(items: PackedGroup["items"], bytes: Uint8Array): readonly Written[] {
    try {
      return transaction(() => items.map((item) => apply(item, bytes)));
    } catch (error) {
      if (items.length === 1) return [{ error: (error as Error).message }];
      // One of them is at fault, or the disk is: each for itself shows which.
      return items.flatMap((item) => write([item], bytes));
    }
  }

  function close(): void {
    statements.length = 0;
    markClean("yes");
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
  }

  try {
    port.postMessage({ kind: "ready", unclean: open() });
  } catch (error) {
    port.postMessage({ kind: "failed", error: (error as Error).message });
    port.close();
    return;
  }
  port.on("message", (message) => {
    if (message.kind === "write") {
      for (const sql of message.statements) statements.push(database.prepare(sql));
      return port.postMessage({ kind: "written", results: write(message.items, message.bytes) });
    }
    if (message.kind === "tidy") {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      database.exec("PRAGMA incremental_vacuum(2000)");
      return undefined;
    }
    close();
    port.postMessage({ kind: "closed" });
    return port.close();
  });
}
