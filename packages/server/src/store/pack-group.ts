// The message format of a group for the writer thread: statements by number, and all bytes in one transferred buffer. Posting a group
// is the main cost of a durable message on the main thread, so the format is compact.
import type { Operation, PackedGroup, PackedOperation } from "./write-thread.ts";

/** Numbers statements on first use; the thread prepares each once. */
export class GroupPacker {
  readonly #numbers = new Map<string, number>();

  pack(items: readonly (readonly Operation[])[]): PackedGroup {
    const statements: string[] = [];
    const bytes = new Uint8Array(byteLength(items));
    let end = 0;
    const packed = items.map((operations) => operations.map((operation) => packOperation(operation, this.#number(operation.sql, statements))));
    return { kind: "write", statements, items: packed, bytes };

    function packOperation({ values, rows }: Operation, statement: number): PackedOperation {
      return {
        statement,
        rows: rows === true,
        values: values.map((value) => {
          if (!(value instanceof Uint8Array)) return value;
          bytes.set(value, end);
          return [end, (end += value.byteLength)] as const;
        }),
      };
    }
  }

  #number(sql: string, statements: string[]): number {
    let number = this.#numbers.get(sql);
    if (number !== undefined) return number;
    number = this.#numbers.size;
    this.#numbers.set(sql, number);
    statements.push(sql);
    return number;
  }
}

/** Approximate size of an item on disk. */
export function bytesOf(operations: readonly Operation[]): number {
  let length = 0;
  for (const { values } of operations) for (const value of values) if (typeof value === "string" || value instanceof Uint8Array) length += value.length;
  return length;
}

function byteLength(items: readonly (readonly Operation[])[]): number {
  let length = 0;
  for (const operations of items) for (const { values } of operations) for (const value of values) if (value instanceof Uint8Array) length += value.byteLength;
  return length;
}
