import type { Database, Driver, Statement } from "./sqlite.ts";
import type { ThreadSettings } from "./write-thread.ts";

/** The store's file in the writer thread. The class is sent to the thread as text, so it must not reference anything outside itself except types. */
export class StoreFile {
  readonly #settings: ThreadSettings;
  readonly #loadDriver: () => Driver;
  #database: Database | undefined = undefined;

  constructor(settings: ThreadSettings, loadDriver: () => Driver) {
    this.#settings = settings;
    this.#loadDriver = loadDriver;
  }

  /** Fails while the file is not open. */
  get #opened(): Database {
    return this.#database as Database;
  }

  /** Returns true when the file was not closed properly last time. A file that this process had open before is not checked. */
  open(isReopened: boolean): boolean {
    const { DatabaseSync } = this.#loadDriver();
    this.#database = new DatabaseSync(this.#settings.path);
    // Must be set before the first table is created, so that free pages can be returned to the file system.
    for (const pragma of [
      "auto_vacuum = INCREMENTAL",
      "journal_mode = WAL",
      "synchronous = FULL",
      "busy_timeout = 5000",
      "wal_autocheckpoint = 4000",
      "journal_size_limit = 67108864",
    ])
      this.exec(`PRAGMA ${pragma}`);
    const unclean = !isReopened && this.#endedUncleanly();
    if (unclean) this.#check();
    this.#migrate();
    this.markClean("no");
    return unclean;
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  exec(sql: string): void {
    this.#opened.exec(sql);
  }

  prepare(sql: string): Statement {
    return this.#opened.prepare(sql);
  }

  transaction<T>(work: () => T): T {
    this.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.exec("COMMIT");
      return result;
    } catch (error) {
      try {
        this.exec("ROLLBACK");
      } catch {
        // SQLite already rolled back, as it does when the disk is full.
      }
      throw error;
    }
  }

  /** Unless the mark is `yes`, the next start checks the integrity of the file and treats all stored messages as suspect. */
  markClean(value: "yes" | "no"): void {
    this.prepare("INSERT INTO state (name, value) VALUES ('clean', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value").run(value);
  }

  checkpoint(): void {
    this.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  compact(): void {
    this.checkpoint();
    this.exec("PRAGMA incremental_vacuum(2000)");
  }

  /** Fails while a write of this size would fail. */
  probe(bytes: number): void {
    const put = "INSERT INTO state (name, value) VALUES ('probe', zeroblob(?)) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    this.transaction(() => this.prepare(put).run(bytes));
    this.transaction(() => this.exec("DELETE FROM state WHERE name = 'probe'"));
  }

  #endedUncleanly(): boolean {
    if (this.prepare("SELECT 1 FROM sqlite_master WHERE name = 'state'").get() === undefined) return false;
    return this.prepare("SELECT value FROM state WHERE name = 'clean'").get()?.["value"] === "no";
  }

  #check(): void {
    const result = String(Object.values(this.prepare("PRAGMA integrity_check(1)").get() ?? {})[0]);
    if (result !== "ok") throw new Error(`the file is damaged (${result}); restore a backup, or move the file away to start with an empty store`);
  }

  #migrate(): void {
    const fileVersion = Number(this.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
    const { schema } = this.#settings;
    if (fileVersion > schema.length)
      throw new Error(`the file was written by a later version of Sluice (schema ${fileVersion}; this version supports ${schema.length})`);
    for (let version = fileVersion; version < schema.length; version++)
      this.transaction(() => this.exec(`${schema[version]}; PRAGMA user_version = ${version + 1}`));
  }
}
