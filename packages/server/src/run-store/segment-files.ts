import type { Database, Row, SqlValue, Statement } from "../store/sqlite.ts";
import type { StoreFile } from "../store/store-file.ts";
import type { StoredRun } from "./stored-run.ts";

export interface SegmentLimits {
  readonly runs: number;
  readonly bytes: number;
  readonly ageMs: number;
  /** Free disk space that is reserved for other data. */
  readonly reservedBytes: number;
}

export interface SegmentPorts {
  readonly directory: string;
  readonly limits: SegmentLimits;
  readonly files: Pick<typeof import("node:fs"), "mkdirSync" | "readdirSync" | "statSync" | "statfsSync" | "rmSync" | "openSync" | "closeSync">;
  /** A file to write, not open yet. */
  writer(path: string): StoreFile;
  reader(path: string): Database;
}

export interface RunSearch {
  /** SQL conditions and their values. */
  readonly where: string;
  readonly values: readonly SqlValue[];
  /** Only runs older than this one. */
  readonly after: { readonly startedAt: number; readonly id: string } | undefined;
  readonly limit: number;
  /** Count all matches, independent of `after` and `limit`. */
  readonly counts: boolean;
}

export interface FoundRow {
  readonly id: string;
  readonly startedAt: number;
  readonly metadata: string;
}

export interface FoundRows {
  /** Newest first. */
  readonly rows: readonly FoundRow[];
  readonly hasMore: boolean;
  readonly total: number;
}

/** A segment that could not be read. */
export interface Unreadable {
  readonly name: string;
  readonly error: string;
}

interface Segment {
  readonly name: string;
  readonly path: string;
  rows: number;
  bytes: number;
  /** Start of its newest run. */
  last: number;
  /** Undefined when it cannot be read. */
  database: { prepare(sql: string): Statement; close(): void } | undefined;
}

/**
 * Stored runs in a sequence of SQLite files. Runs are added to the newest; when it is full, the next one begins. Above a limit, the oldest
 * file is removed, which is fast, and a damaged file affects only its own runs. The class is sent to a thread as text, so it may use
 * nothing but types from other modules.
 */
export class SegmentFiles {
  readonly #ports: SegmentPorts;
  /** Oldest first. */
  #segments: Segment[] = [];
  #current: { readonly segment: Segment; readonly file: StoreFile } | undefined = undefined;
  #unreadable: Unreadable[] = [];
  /** Number of segments among which a limit is divided. */
  readonly #parts = 16;

  constructor(ports: SegmentPorts) {
    this.#ports = ports;
  }

  get #runsPerSegment(): number {
    return Math.ceil(this.#ports.limits.runs / this.#parts);
  }

  get runs(): number {
    return this.#segments.reduce((sum, { rows }) => sum + rows, 0);
  }

  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Segments found unreadable since the last call. */
  takeUnreadable(): readonly Unreadable[] {
    const found = this.#unreadable;
    this.#unreadable = [];
    return found;
  }

  open(now: number): void {
    const { directory, files } = this.#ports;
    files.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const names = files
      .readdirSync(directory)
      .filter((name) => /^runs-\d{15}\.sqlite$/.test(name))
      .sort();
    const newest = names.pop();
    for (const name of names) this.#read(this.#add(name));
    if (newest !== undefined) this.#continue(this.#add(newest), now);
    this.trim(now);
  }

  /** Stores runs and removes the oldest ones above the limits. */
  add(runs: readonly StoredRun[], now: number): void {
    this.#rejectWithoutSpace();
    for (let from = 0; from < runs.length;) {
      const { segment, file } = this.#writable(now);
      const part = runs.slice(from, from + Math.max(1, this.#runsPerSegment - segment.rows));
      if (!this.#insert(segment, file, part)) continue;
      from += part.length;
      if (this.#isFull(segment, now)) this.#finishSegment();
    }
    this.trim(now);
  }

  trim(now: number): void {
    const { limits } = this.#ports;
    const oldest = now - limits.ageMs;
    if (this.#current !== undefined && this.#current.segment.last < oldest) this.#finishSegment();
    const isOver = (): boolean => this.#segments.length > 1 && (this.runs > limits.runs || this.bytes > limits.bytes);
    for (let segment = this.#segments[0]; segment !== undefined && (segment.last < oldest || isOver()); segment = this.#segments[0]) {
      if (segment === this.#current?.segment) return;
      this.#segments.shift();
      this.#close(segment);
      for (const suffix of ["", "-wal", "-shm", "-journal"]) this.#ports.files.rmSync(segment.path + suffix, { force: true });
    }
  }

  search({ where, values, after, limit, counts }: RunSearch): FoundRows {
    const [older, position] = after === undefined ? ["", []] : [" AND (started_at, id) < (?, ?)", [after.startedAt, after.id]];
    const page = `SELECT id, started_at FROM run WHERE ${where}${older} ORDER BY started_at DESC, id DESC LIMIT ?`;
    let found: { readonly id: string; readonly startedAt: number; readonly segment: Segment }[] = [];
    let total = 0;
    for (const segment of this.#segments.toSorted((a, b) => b.last - a.last)) {
      const end = found[limit];
      this.#reading(segment, (prepare) => {
        if (counts) total += Number(prepare(`SELECT count(*) AS count FROM run WHERE ${where}`).get(...values)?.["count"]);
        // All runs of this segment are older than the page.
        if (end !== undefined && end.startedAt > segment.last) return;
        for (const row of prepare(page).all(...values, ...position, limit + 1))
          found.push({ id: String(row["id"]), startedAt: Number(row["started_at"]), segment });
      });
      found = found.sort((a, b) => b.startedAt - a.startedAt || (b.id > a.id ? 1 : -1)).slice(0, limit + 1);
    }
    const rows = found.slice(0, limit).flatMap(({ id, startedAt, segment }): FoundRow[] => {
      const row = this.#row(segment, "SELECT facts AS metadata FROM run WHERE id = ?", id);
      return row === undefined ? [] : [{ id, startedAt, metadata: String(row["metadata"]) }];
    });
    return { rows, hasMore: found.length > limit, total };
  }

  find(id: string): { readonly metadata: string; readonly messages: string | null } | undefined {
    for (const segment of this.#segments.toReversed()) {
      const row = this.#row(segment, "SELECT facts AS metadata, messages FROM run WHERE id = ?", id);
      if (row !== undefined) return { metadata: String(row["metadata"]), messages: row["messages"] === null ? null : String(row["messages"]) };
    }
    return undefined;
  }

  close(): void {
    if (this.#current !== undefined) this.#closeCleanly(this.#current.file);
    this.#current = undefined;
    for (const segment of this.#segments) this.#close(segment);
    this.#segments = [];
  }

  #add(name: string): Segment {
    const path = `${this.#ports.directory}/${name}`;
    const segment: Segment = { name, path, rows: 0, bytes: this.#sizeOf(path), last: this.#ports.files.statSync(path).mtimeMs, database: undefined };
    this.#segments.push(segment);
    return segment;
  }

  /** Opens a finished segment. */
  #read(segment: Segment): void {
    try {
      segment.database = this.#ports.reader(segment.path);
      this.#measure(segment);
    } catch (error) {
      this.#report(segment, error);
      this.#close(segment);
    }
  }

  /** Opens the newest segment to add more runs. If that fails, it is opened for reading, unless it is damaged; new runs go to the next one. */
  #continue(segment: Segment, now: number): void {
    const file = this.#ports.writer(segment.path);
    try {
      this.#openWriter(file);
      segment.database = file;
      // The limit may have been decreased since the last start.
      file.prepare("DELETE FROM run WHERE id IN (SELECT id FROM run ORDER BY started_at DESC, id DESC LIMIT -1 OFFSET ?)").run(this.#ports.limits.runs);
      this.#measure(segment);
      this.#current = { segment, file };
      if (this.#isFull(segment, now)) this.#finishSegment();
    } catch (error) {
      try {
        file.close();
      } catch {
        // The file was not opened.
      }
      if (this.#isDamage(error)) this.#report(segment, error);
      else this.#read(segment);
    }
  }

  #openWriter(file: StoreFile): void {
    file.open(false);
    // A power failure may lose the last runs, but never damages the file; in return, a batch needs no fsync.
    for (const pragma of ["synchronous = NORMAL", "wal_autocheckpoint = 256", "journal_size_limit = 1048576"]) file.exec(`PRAGMA ${pragma}`);
  }

  #measure(segment: Segment): void {
    const row = segment.database?.prepare("SELECT count(*) AS count, max(started_at) AS last FROM run").get();
    segment.rows = Number(row?.["count"]);
    segment.last = segment.rows === 0 ? segment.last : Number(row?.["last"]);
    segment.bytes = this.#sizeOf(segment.path);
  }

  #writable(now: number): { readonly segment: Segment; readonly file: StoreFile } {
    if (this.#current !== undefined) return this.#current;
    // Names increase even when the clock was set back.
    const previousNumber = Number(/\d+/.exec(this.#segments.at(-1)?.name ?? "0")?.[0]);
    const name = `runs-${String(Math.max(previousNumber + 1, Math.floor(now))).padStart(15, "0")}.sqlite`;
    const { files, directory } = this.#ports;
    // Created here so that other users can never read it.
    files.closeSync(files.openSync(`${directory}/${name}`, "a", 0o600));
    const segment = this.#add(name);
    const file = this.#ports.writer(segment.path);
    try {
      this.#openWriter(file);
    } catch (error) {
      this.#segments.pop();
      files.rmSync(segment.path, { force: true });
      throw error;
    }
    segment.database = file;
    return (this.#current = { segment, file });
  }

  /** Returns false when the segment turned out to be damaged; the runs then go to the next one. */
  #insert(segment: Segment, file: StoreFile, runs: readonly StoredRun[]): boolean {
    let inserted = 0;
    try {
      file.transaction(() => {
        const insert = file.prepare(
          "INSERT OR IGNORE INTO run (id, started_at, flow_id, route_id, status, correlation_id, session_id, facts, messages) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        );
        for (const { id, startedAt, flowId, routeId, status, correlationId, sessionId, metadata, messages } of runs)
          inserted += Number(insert.run(id, startedAt, flowId, routeId, status, correlationId, sessionId, metadata, messages).changes);
      });
    } catch (error) {
      if (!this.#isDamage(error)) throw error;
      this.#report(segment, error);
      this.#close(segment);
      this.#current = undefined;
      return false;
    }
    segment.last = runs.reduce((last, { startedAt }) => Math.max(last, startedAt), segment.rows === 0 ? 0 : segment.last);
    segment.rows += inserted;
    segment.bytes = this.#sizeOf(segment.path);
    return true;
  }

  #isFull(segment: Segment, now: number): boolean {
    const { limits } = this.#ports;
    if (segment.rows >= this.#runsPerSegment) return true;
    return segment.bytes >= limits.bytes / this.#parts || now - Number(/\d+/.exec(segment.name)?.[0]) >= limits.ageMs / this.#parts;
  }

  /** Finishes the current segment. Without a write-ahead log it can be read on a full disk. */
  #finishSegment(): void {
    if (this.#current === undefined) return;
    const { segment, file } = this.#current;
    this.#current = undefined;
    segment.database = undefined;
    this.#closeCleanly(file, "PRAGMA journal_mode = DELETE");
    this.#read(segment);
  }

  #closeCleanly(file: StoreFile, last = "PRAGMA wal_checkpoint(TRUNCATE)"): void {
    for (const step of [() => file.markClean("yes"), () => file.exec(last), () => file.close()])
      try {
        step();
      } catch {
        // A full disk; the next start checks the file.
      }
  }

  #row(segment: Segment, sql: string, id: string): Row | undefined {
    let row: Row | undefined;
    this.#reading(segment, (prepare) => void (row = prepare(sql).get(id)));
    return row;
  }

  /** Skips a segment that cannot be read: once if the disk failed, permanently if it is damaged. */
  #reading(segment: Segment, read: (prepare: (sql: string) => Statement) => void): void {
    const { database } = segment;
    if (database === undefined) return;
    try {
      read((sql) => database.prepare(sql));
    } catch (error) {
      this.#report(segment, error);
      if (!this.#isDamage(error)) return;
      this.#close(segment);
      if (this.#current?.segment === segment) this.#current = undefined;
    }
  }

  #report({ name }: Segment, error: unknown): void {
    this.#unreadable.push({ name, error: (error as Error).message });
  }

  #close(segment: Segment): void {
    const { database } = segment;
    segment.database = undefined;
    segment.rows = 0;
    try {
      database?.close();
    } catch {
      // A damaged file may not close.
    }
  }

  /** CORRUPT and NOTADB; errors without a code come from the check and the schema of the file. */
  #isDamage(error: unknown): boolean {
    const code = (error as { readonly errcode?: number }).errcode;
    return code === undefined ? (error as NodeJS.ErrnoException).syscall === undefined : [11, 26].includes(code & 0xff);
  }

  #rejectWithoutSpace(): void {
    const { files, directory, limits } = this.#ports;
    const { bavail, bsize } = files.statfsSync(directory);
    if (bavail * bsize < limits.reservedBytes)
      throw Object.assign(new Error(`the disk is almost full: ${bavail * bsize} bytes free, ${limits.reservedBytes} needed`), { syscall: "statfs" });
  }

  #sizeOf(path: string): number {
    let sum = 0;
    for (const suffix of ["", "-wal"]) sum += this.#ports.files.statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0;
    return sum;
  }
}
