// Writing lines at once, to a file. A disk that is full has room again some day: what finds none is lost and counted, and what
// comes afterwards begins on a line of its own.
import { writeSync } from "node:fs";

const newline = 10;
const noRoom: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

export class FileOutput {
  /** Nobody will ever read what is written here: there is no place left to say so. */
  isBroken = false;
  readonly #fileDescriptor: number;
  /** The last line ends in the middle. */
  #isTorn = false;

  constructor(fileDescriptor: number) {
    this.#fileDescriptor = fileDescriptor;
  }

  /** Writes whole lines; returns how many of them, from the last backwards, found no room. */
  write(lines: Buffer): number {
    if (this.isBroken) return 0;
    const begin = this.#isTorn ? 1 : 0;
    const bytes = this.#isTorn ? Buffer.concat([Buffer.of(newline), lines]) : lines;
    let offset = 0;
    try {
      while (offset < bytes.length) offset += writeSync(this.#fileDescriptor, bytes, offset);
      this.#isTorn = false;
      return 0;
    } catch (error) {
      this.isBroken = !noRoom.has((error as NodeJS.ErrnoException).code);
      if (offset > 0) this.#isTorn = bytes[offset - 1] !== newline;
      return countLines(bytes.subarray(Math.max(begin, offset)));
    }
  }
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}
