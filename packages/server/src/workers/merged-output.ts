// Merges the output of several processes line by line. Lines are never written partially. A slow reader applies backpressure to the pipes, where each
// process has its own limit.
import { fstatSync, write } from "node:fs";
import type { Readable } from "node:stream";
import type { BatchedWriter, WriterOptions } from "../log/batched-writer.ts";
import type { LineFormat } from "../log/output-format.ts";
import { FileOutput } from "../log/file-output.ts";

const newline = 10;
const emptyBuffer = Buffer.alloc(0);

const concat = (one: Buffer, other: Buffer): Buffer => (one.length === 0 ? other : Buffer.concat([one, other]));

export interface MergedOutput extends BatchedWriter {
  /** Merges the output of this stream. */
  merge(stream: Readable): void;
}

export function createMergedOutput(fileDescriptor: number, dropped: WriterOptions["dropped"], format?: LineFormat): MergedOutput {
  // Writing to a file does not block, and using another thread costs ten times as much. The reader of a pipe may stall.
  const isFile = fstatSync(fileDescriptor).isFile();
  const output = new FileOutput(fileDescriptor);
  let waiting: { readonly bytes: Buffer; readonly written: () => void }[] = [];
  let isOpen = false;
  let isWriting = false;
  let lost = 0;
  const shown = (lines: Buffer): Buffer => (format === undefined ? lines : format(lines));

  function put(bytes: Buffer, written: () => void = () => undefined): void {
    if (output.isBroken) return written();
    waiting.push({ bytes: shown(bytes), written });
    if (isOpen && !isWriting) next();
  }

  function next(): void {
    const batch = waiting;
    if (batch.length === 0) return;
    waiting = [];
    if (isFile) {
      for (const { bytes } of batch) writeNow(bytes);
      for (const { written } of batch) written();
      return;
    }
    isWriting = true;
    push(Buffer.concat(batch.map(({ bytes }) => bytes)), 0, () => {
      isWriting = false;
      for (const { written } of batch) written();
      if (waiting.length > 0) next();
    });
  }

  function writeNow(bytes: Buffer): void {
    if (lost > 0 && output.write(shown(Buffer.from(`${dropped(lost)}\n`))) === 0) lost = 0;
    lost += output.write(bytes);
  }

  function push(bytes: Buffer, offset: number, done: () => void): void {
    write(fileDescriptor, bytes, offset, (error, written) => {
      if (error !== null && error.code !== "EAGAIN") {
        output.isBroken = true;
        return done();
      }
      const reached = offset + (error === null ? written : 0);
      if (reached >= bytes.length) done();
      else if (error === null) push(bytes, reached, done);
      else setTimeout(() => push(bytes, reached, done), 5);
    });
  }

  return {
    add: (line) => put(Buffer.from(`${typeof line === "string" ? line : line.text()}\n`)),
    open(firstLine) {
      if (firstLine !== undefined) waiting.unshift({ bytes: shown(Buffer.from(`${firstLine}\n`)), written: () => undefined });
      isOpen = true;
      if (!isWriting) next();
    },
    recent: () => [],
    close() {
      isOpen = true;
      for (const { bytes } of waiting) writeNow(bytes);
      waiting = [];
    },
    merge(stream) {
      let rest: Buffer = emptyBuffer;
      stream.on("data", (chunk: Buffer) => {
        const end = chunk.lastIndexOf(newline) + 1;
        const completeLines = end === 0 ? undefined : concat(rest, chunk.subarray(0, end));
        rest = end === 0 ? concat(rest, chunk) : end === chunk.length ? emptyBuffer : Buffer.from(chunk.subarray(end));
        if (completeLines === undefined) return;
        let isWritten = false;
        put(completeLines, () => {
          isWritten = true;
          stream.resume();
        });
        // Until the output is open, everything is buffered; afterwards, at most one chunk per process.
        if (isOpen && !isWritten) stream.pause();
      });
      stream.on("end", () => {
        if (rest.length > 0) put(Buffer.concat([rest, Buffer.from("\n")]));
      });
    },
  };
}
