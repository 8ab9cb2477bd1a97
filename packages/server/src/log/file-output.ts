// Writes lines to a file synchronously. A full disk may have space later: lost lines are counted, and later output starts on a new line.
import { writeSync } from "node:fs";

const newline = 10;
const diskFullCodes: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

export class FileOutput {
  /** True after a permanent failure: nothing more can be written. */
  isBroken = false;
  readonly #fileDescriptor: number;
  /** The last line is incomplete. */
  #endsInsideLine = false;

  constructor(fileDescriptor: number) {
    this.#fileDescriptor = fileDescriptor;
  }

  /** Writes whole lines; returns the number of lines at the end that could not be written. */
  write(lines: Buffer): number {
    if (this.isBroken) return 0;
    const begin = this.#endsInsideLine ? 1 : 0;
    const bytes = this.#endsInsideLine ? Buffer.concat([Buffer.of(newline), lines]) : lines;
    let offset = 0;
    try {
      while (offset < bytes.length) offset += writeSync(this.#fileDescriptor, bytes, offset);
      this.#endsInsideLine = false;
      return 0;
    } catch (error) {
      this.isBroken = !diskFullCodes.has((error as NodeJS.ErrnoException).code);
      if (offset > 0) this.#endsInsideLine = bytes[offset - 1] !== newline;
      return countLines(bytes.subarray(Math.max(begin, offset)));
    }
  }
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}
