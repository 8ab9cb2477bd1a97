// Writes lines to a file descriptor in batches, one write at a time, so that logging only appends to a list. Memory for a slow reader is
// limited: beyond it lines are dropped and counted.
import { fstatSync, write } from "node:fs";
import { FileOutput } from "./file-output.ts";
import { RecentText } from "./recent-text.ts";
import type { LineFormat } from "./output-format.ts";
import { LineBuffer, type UnwrittenLine } from "./line-buffer.ts";

export interface BatchedWriter {
  add(line: UnwrittenLine | string): void;
  /** Writes this line first; no other line is written before this call. */
  open(firstLine?: string): void;
  /** The most recent lines, oldest first: some that were written and all that are waiting. */
  recent(): readonly string[];
  /** Writes waiting lines synchronously, at the end of the process. */
  close(): void;
}

export interface WriterOptions {
  readonly fileDescriptor: number;
  readonly maxBytes: number;
  /** Creates the line that reports dropped lines. */
  readonly dropped: (count: number) => string;
  readonly format?: LineFormat;
}

/** Batching delay: frequent small writes would cost a system call each. */
const gatherMs = 10;

/** Delay before writing again to a pipe whose reader is stalled. */
const pipeRetryMs = 5;

export function createBatchedWriter({ fileDescriptor, maxBytes, dropped, format }: WriterOptions): BatchedWriter {
  // Writing to a file does not block, and using another thread costs ten times as much. The reader of a pipe may stall.
  const isFile = fstatSync(fileDescriptor).isFile();
  const output = new FileOutput(fileDescriptor);
  const waiting = new LineBuffer(maxBytes, dropped);
  const recent = new RecentText();
  let isOpen = false;
  let isScheduled = false;
  let isWriting = false;

  function take(): Buffer {
    const bytes = waiting.take();
    recent.add(bytes);
    return format === undefined ? bytes : format(bytes);
  }

  function flushLater(): void {
    if (isScheduled || !isOpen) return;
    isScheduled = true;
    setTimeout(flush, gatherMs);
  }

  function flush(): void {
    isScheduled = false;
    if (!isOpen || output.isBroken || isWriting || waiting.isEmpty) return;
    if (isFile) {
      writeNow();
      return;
    }
    isWriting = true;
    writeToPipe(fileDescriptor, take(), 0, (isWritten) => {
      isWriting = false;
      output.isBroken = !isWritten;
      if (output.isBroken) waiting.take();
      else if (!waiting.isEmpty) flushLater();
    });
  }

  function writeNow(): void {
    const droppedBefore = waiting.dropped;
    const notWritten = output.write(take());
    // The line that reported earlier losses is itself lost.
    if (notWritten > 0) waiting.dropped = droppedBefore + notWritten - (droppedBefore > 0 ? 1 : 0);
  }

  return {
    add(line) {
      if (output.isBroken) return;
      waiting.add(line);
      flushLater();
    },
    open(firstLine) {
      if (firstLine !== undefined) waiting.addFirst(firstLine);
      isOpen = true;
      flush();
    },
    recent: () => [...recent.lines(), ...waiting.texts()],
    close() {
      isOpen = true;
      // Data of a write in progress is not written again, because part of it may already be written.
      if (!output.isBroken && !waiting.isEmpty) writeNow();
    },
  };
}

function writeToPipe(fileDescriptor: number, bytes: Buffer, from: number, done: (isWritten: boolean) => void): void {
  write(fileDescriptor, bytes, from, (error, written) => {
    if (error !== null && error.code !== "EAGAIN") return done(false);
    const next = from + (error === null ? written : 0);
    if (next === bytes.length) return done(true);
    if (error === null) return writeToPipe(fileDescriptor, bytes, next, done);
    setTimeout(writeToPipe, pipeRetryMs, fileDescriptor, bytes, next, done);
  });
}
