// Writes lines to a file descriptor in batches, one write at a time, so that the hot path only appends to a list. A reader that
// stalls costs bounded memory: beyond it lines are dropped and counted.
import { fstatSync, write } from "node:fs";
import { FileOutput } from "./file-output.ts";

/** A line whose text is made when it is written, with many others in a row: that costs a fraction of making it in between. */
export interface UnwrittenLine {
  /** About how many characters it will have. */
  readonly size: number;
  text(): string;
}

export interface BatchedWriter {
  add(line: UnwrittenLine | string): void;
  /** Puts a line before everything that waits and begins writing; nothing is written before. */
  open(firstLine?: string): void;
  /** The last lines, oldest first: what waits, and before it what was written, up to a bound. */
  recent(): readonly string[];
  /** Writes what waits now, blocking; for the end of the process. */
  close(): void;
}

export interface WriterOptions {
  readonly fileDescriptor: number;
  readonly maxBytes: number;
  /** The line that tells about dropped ones. */
  readonly dropped: (count: number) => string;
}

/** How long lines gather before they are written: a write for every few lines would cost each of them a system call. */
const gatherMs = 10;

/** Written text that is remembered for those who come later and ask what was. Whole batches are kept, so a line costs nothing more. */
const rememberedBytes = 256 * 1024;

export function createBatchedWriter({ fileDescriptor, maxBytes, dropped }: WriterOptions): BatchedWriter {
  // A file takes what it is given at once; another thread to do it costs ten times the writing. A pipe may have a reader that stalls.
  const isFile = fstatSync(fileDescriptor).isFile();
  const output = new FileOutput(fileDescriptor);
  let waiting: (UnwrittenLine | string)[] = [];
  let waitingBytes = 0;
  let lost = 0;
  let isOpen = false;
  let scheduled = false;
  let remembered: Buffer[] = [];
  let rememberedSize = 0;
  let underWay: { readonly bytes: Buffer; offset: number } | undefined;

  function take(): Buffer {
    if (lost > 0) {
      waiting.push(dropped(lost));
      lost = 0;
    }
    // One growing text: it is laid out once, when it becomes bytes.
    let text = "";
    for (const line of waiting) text += `${textOf(line)}\n`;
    const bytes = Buffer.from(text);
    waiting = [];
    waitingBytes = 0;
    remember(bytes);
    return bytes;
  }

  function remember(bytes: Buffer): void {
    const isLarge = bytes.length > rememberedBytes;
    if (isLarge) [remembered, rememberedSize] = [[], 0];
    // The end of a large batch is copied: a view would keep all of it.
    const end = isLarge ? Buffer.from(bytes.subarray(bytes.indexOf(10, bytes.length - rememberedBytes) + 1)) : bytes;
    remembered.push(end);
    rememberedSize += end.length;
    let oldest = 0;
    while (rememberedSize > rememberedBytes) rememberedSize -= (remembered[oldest++] as Buffer).length;
    if (oldest > 0) remembered = remembered.slice(oldest);
  }

  function flushLater(): void {
    if (scheduled || !isOpen) return;
    scheduled = true;
    setTimeout(flush, gatherMs);
  }

  function flush(): void {
    scheduled = false;
    if (!isOpen || output.isBroken || underWay !== undefined || waiting.length === 0) return;
    if (isFile) {
      writeNow();
      return;
    }
    underWay = { bytes: take(), offset: 0 };
    next();
  }

  function writeNow(): void {
    const before = lost;
    const notWritten = output.write(take());
    // The last line told about those before, so it is among them.
    if (notWritten > 0) lost = before + notWritten - (before > 0 ? 1 : 0);
  }

  function next(): void {
    const batch = underWay as { readonly bytes: Buffer; offset: number };
    write(fileDescriptor, batch.bytes, batch.offset, (error, written) => {
      if (error !== null && error.code !== "EAGAIN") {
        output.isBroken = true;
        waiting = [];
        underWay = undefined;
        return;
      }
      batch.offset += error === null ? written : 0;
      if (batch.offset < batch.bytes.length) {
        if (error === null) next();
        else setTimeout(next, 5);
        return;
      }
      underWay = undefined;
      if (waiting.length > 0) flushLater();
    });
  }

  return {
    add(line) {
      const size = typeof line === "string" ? line.length : line.size;
      if (waitingBytes + size > maxBytes) {
        lost++;
        return;
      }
      if (output.isBroken) return;
      waiting.push(line);
      waitingBytes += size;
      flushLater();
    },
    open(firstLine) {
      if (firstLine !== undefined) waiting.unshift(firstLine);
      isOpen = true;
      flush();
    },
    recent: () => [...Buffer.concat(remembered).toString("utf8").split("\n").slice(0, -1), ...waiting.map(textOf)],
    close() {
      isOpen = true;
      if (output.isBroken) return;
      // What a write in progress already took may be on its way: waiting for it keeps the order and repeats nothing.
      if (waiting.length === 0) return;
      writeNow();
    },
  };
}

const textOf = (line: UnwrittenLine | string): string => (typeof line === "string" ? line : line.text());
