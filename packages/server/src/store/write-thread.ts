// The writer thread, so that the main thread does not wait for the disk. The function below is sent to the thread as text, so it must
// not reference anything outside itself except types. Disk errors must not end the thread: every message gets a reply.
import type { Row, SqlValue, Statement } from "./sqlite.ts";
import type { StoreFile } from "./store-file.ts";

export interface Operation {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** Return the rows of a RETURNING clause. */
  readonly rows?: true;
  /** Stores a new message: rejected when the remaining space is reserved for messages already in the store. */
  readonly isNewMessage?: true;
}

export interface ThreadSettings {
  readonly path: string;
  readonly driver: string;
  /** Migrations from each schema version to the next. */
  readonly schema: readonly string[];
}

/** A statement number and its values; byte values are ranges in the group's buffer. */
export interface PackedOperation {
  readonly statement: number;
  readonly values: readonly (null | number | string | readonly [from: number, to: number])[];
  readonly rows: boolean;
}

export interface PackedGroup {
  readonly kind: "write";
  /** Statements not numbered before. */
  readonly statements: readonly string[];
  readonly items: readonly (readonly PackedOperation[])[];
  readonly bytes: Uint8Array;
}

export type ToThread =
  /** The first message; sent again after a failure. A file that this process had open before is not checked. */
  | { readonly kind: "open"; readonly isReopened: boolean }
  | PackedGroup
  | { readonly kind: "compact" }
  /** Writes this many bytes and removes them. */
  | { readonly kind: "probe"; readonly bytes: number }
  | { readonly kind: "close" };

export interface WriteFailure {
  readonly error: string;
  /** A disk error: the same write may succeed later. */
  readonly isDisk: boolean;
}

/** Result of one item: the returned rows, or why it was not written. */
export type WriteResult = { readonly rows: readonly Row[] } | WriteFailure;

export type FromThread =
  | { readonly kind: "ready"; readonly unclean: boolean }
  | ({ readonly kind: "failed" } & WriteFailure)
  | { readonly kind: "written"; readonly results: readonly WriteResult[] }
  | { readonly kind: "compacted"; readonly failed: WriteFailure | undefined }
  | { readonly kind: "probed"; readonly failed: WriteFailure | undefined }
  | { readonly kind: "closed" };

interface Port {
  postMessage(message: FromThread): void;
  on(event: "message", listener: (message: ToThread) => void): void;
  close(): void;
}

/** Runs in the thread. */
export function writeThread(port: Port, file: StoreFile): void {
  const texts: string[] = [];
  const statements: (Statement | undefined)[] = [];
  /** Result codes unrelated to the disk: ERROR, TOOBIG, CONSTRAINT, MISMATCH, MISUSE, RANGE. */
  const nonDiskCodes = [1, 18, 19, 20, 21, 25];
  /** CORRUPT and NOTADB: retrying does not help. */
  const corruptionCodes = [11, 26];
  const codeOf = (error: unknown): number => ((error as { readonly errcode?: number }).errcode ?? 0) & 0xff;

  function failureOf(error: unknown): WriteFailure {
    const { message, errcode } = error as Error & { readonly errcode?: number };
    return { error: message, isDisk: errcode !== undefined && !nonDiskCodes.includes(codeOf(error)) };
  }

  function attempt(work: () => void): WriteFailure | undefined {
    try {
      work();
      return undefined;
    } catch (error) {
      return failureOf(error);
    }
  }

  function apply(operations: readonly PackedOperation[], bytes: Uint8Array): WriteResult {
    const rows: Row[] = [];
    for (const { statement, values, rows: returnsRows } of operations) {
      const unpacked = values.map((value) => (Array.isArray(value) ? bytes.subarray(value[0], value[1]) : value)) as SqlValue[];
      const prepared = (statements[statement] ??= file.prepare(texts[statement] as string));
      if (returnsRows) rows.push(...prepared.all(...unpacked));
      else prepared.run(...unpacked);
    }
    return { rows };
  }

  function write(items: PackedGroup["items"], bytes: Uint8Array): readonly WriteResult[] {
    try {
      return file.transaction(() => items.map((item) => apply(item, bytes)));
    } catch (error) {
      if (items.length === 1) return [failureOf(error)];
      // Write each item separately to find the one that fails.
      return items.flatMap((item) => write([item], bytes));
    }
  }

  function open(isReopened: boolean): FromThread {
    try {
      return { kind: "ready", unclean: file.open(isReopened) };
    } catch (error) {
      attempt(() => file.close());
      const failed = failureOf(error);
      return { kind: "failed", ...failed, isDisk: failed.isDisk && !corruptionCodes.includes(codeOf(error)) };
    }
  }

  function handle(message: ToThread): FromThread {
    switch (message.kind) {
      case "open":
        return open(message.isReopened);
      case "write":
        texts.push(...message.statements);
        return { kind: "written", results: write(message.items, message.bytes) };
      case "compact":
        return { kind: "compacted", failed: attempt(() => file.compact()) };
      case "probe":
        // A checkpoint needs space only in the database file and frees the write-ahead log.
        attempt(() => file.checkpoint());
        return { kind: "probed", failed: attempt(() => file.probe(message.bytes)) };
      case "close":
        statements.length = 0;
        for (const step of [() => file.markClean("yes"), () => file.checkpoint(), () => file.close()]) attempt(step);
        return { kind: "closed" };
    }
  }

  port.on("message", (message) => {
    port.postMessage(handle(message));
    if (message.kind === "close") port.close();
  });
}
