import { execFileSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createMergedOutput } from "../workers/merged-output.ts";
import { createBatchedWriter } from "./batched-writer.ts";
import { FileOutput } from "./file-output.ts";

const prlimit = "/usr/bin/prlimit";
const prlimitOf = (...options: readonly string[]): string => execFileSync(prlimit, ["--pid", String(process.pid), ...options], { encoding: "utf8" }).trim();
const limit = (bytes: string): void => void prlimitOf(`--fsize=${bytes}:`);

let closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers) close();
  closers = [];
  vi.useRealTimers();
});

/** Opens a log file and limits the size of the files that this process can write, which simulates a full disk. `afterEach` resets the limit. */
function openSizeLimitedFile(bytes: number) {
  const path = join(mkdtempSync(join(tmpdir(), "sluice-full-")), "log");
  const fileDescriptor = openSync(path, "a");
  const previousLimit = prlimitOf("--fsize", "--noheadings", "--raw", "--output=SOFT");
  limit(String(bytes));
  closers.push(() => {
    limit(previousLimit);
    closeSync(fileDescriptor);
  });
  return { fileDescriptor, text: () => readFileSync(path, "latin1"), makeRoom: () => truncateSync(path) };
}

describe.skipIf(!existsSync(prlimit))("output to a file, with a simulated full disk (needs prlimit)", () => {
  it("counts lost lines and continues on a new line when there is space", () => {
    const { fileDescriptor, text, makeRoom } = openSizeLimitedFile(20);
    const output = new FileOutput(fileDescriptor);
    expect(output.write(Buffer.from("0123456789\n"))).toBe(0);
    expect(output.write(Buffer.from("abcdefghijkl\nsecond\nthird\n"))).toBe(3);
    expect(text()).toBe("0123456789\nabcdefghi");
    expect([output.write(Buffer.from("fourth\n")), output.isBroken]).toEqual([1, false]);
    makeRoom();
    expect(output.write(Buffer.from("fifth\n"))).toBe(0);
    expect(output.write(Buffer.from("sixth\n"))).toBe(0);
    expect(text()).toBe("\nfifth\nsixth\n");
  });

  it("stops permanently after an error other than a full disk", () => {
    const fileDescriptor = openSync("/dev/null", "r");
    closers.push(() => closeSync(fileDescriptor));
    const output = new FileOutput(fileDescriptor);
    expect([output.write(Buffer.from("x\n")), output.isBroken, output.write(Buffer.from("y\n"))]).toEqual([1, true, 0]);
  });

  it("resumes the log of one process and reports the dropped lines", () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const { fileDescriptor, text, makeRoom } = openSizeLimitedFile(30);
    const writer = createBatchedWriter({ fileDescriptor, maxBytes: 1_000_000, dropped: (count) => `dropped ${count}` });
    writer.open("first line");
    for (const line of ["one", "two", "three", "four", "five", "six"]) {
      writer.add(`${line} ${"x".repeat(30)}`);
      vi.runAllTimers();
    }
    expect(text()).toHaveLength(30);
    makeRoom();
    writer.add("back");
    vi.runAllTimers();
    expect(text()).toBe("\nback\ndropped 6\n");
  });

  it("resumes the merged log of several processes and reports the dropped lines", () => {
    const { fileDescriptor, text, makeRoom } = openSizeLimitedFile(30);
    const output = createMergedOutput(fileDescriptor, (count) => `dropped ${count}`);
    output.open("first line");
    for (const line of ["one", "two", "three", "four", "five", "six"]) output.add(`${line} ${"x".repeat(30)}`);
    expect(text()).toHaveLength(30);
    makeRoom();
    output.add("back");
    output.add("again");
    expect(text()).toBe("\ndropped 6\nback\nagain\n");
  });
});
