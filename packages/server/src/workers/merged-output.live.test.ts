import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { createMergedOutput } from "./merged-output.ts";

interface Target {
  readonly fileDescriptor: number;
  text(): string;
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function file(): Target {
  const path = join(mkdtempSync(join(tmpdir(), "sluice-merged-")), "out");
  const fileDescriptor = openSync(path, "a");
  closers.push(() => closeSync(fileDescriptor));
  return { fileDescriptor, text: () => readFileSync(path, "utf8") };
}

function pipe(): Target {
  const path = join(mkdtempSync(join(tmpdir(), "sluice-merged-")), "out");
  execFileSync("mkfifo", [path]);
  // Opened for reading and writing, so that neither side blocks.
  const fileDescriptor = openSync(path, constants.O_RDWR);
  let text = "";
  const reader = spawn("cat", [path], { stdio: ["ignore", "pipe", "ignore"] });
  reader.stdout.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  closers.push(() => {
    reader.kill();
    closeSync(fileDescriptor);
  });
  return { fileDescriptor, text: () => text };
}

for (const [kind, open] of [
  ["a file", file],
  ["a pipe", pipe],
] as const)
  describe(`the output of several processes in ${kind}`, () => {
    it("starts with the line passed to open, even if a worker wrote lines before", async () => {
      const target = open();
      const output = createMergedOutput(target.fileDescriptor, String);
      const worker = new PassThrough();
      output.merge(worker);
      worker.write("early one\nearly two\n");
      output.open("first");
      output.add("own");
      worker.end("late\nwithout end");
      await expect.poll(target.text).toBe("first\nearly one\nearly two\nown\nlate\nwithout end\n");
    });

    it("has complete lines, in order per process, for any chunking", async () => {
      const target = open();
      const output = createMergedOutput(target.fileDescriptor, String);
      output.open();
      const lines = 400;
      const written = ["a", "b", "c"].map(async (name, index) => {
        const worker = new PassThrough();
        output.merge(worker);
        const text = Array.from({ length: lines }, (_, number) => `${name} ${number} ${"x".repeat((number * 37) % 500)}\n`).join("");
        const piece = 700 + index * 311;
        for (let offset = 0; offset < text.length; offset += piece) {
          if (!worker.write(text.slice(offset, offset + piece))) await new Promise((resolve) => worker.once("drain", resolve));
          if (offset % 5 === 0) await new Promise(setImmediate);
        }
        worker.end();
      });
      await Promise.all(written);
      await expect.poll(() => target.text().split("\n").length).toBe(3 * lines + 1);
      const seen = target.text().split("\n").slice(0, -1);
      for (const name of ["a", "b", "c"])
        expect(seen.filter((line) => line.startsWith(`${name} `))).toEqual(
          Array.from({ length: lines }, (_, number) => `${name} ${number} ${"x".repeat((number * 37) % 500)}`),
        );
    });
  });
