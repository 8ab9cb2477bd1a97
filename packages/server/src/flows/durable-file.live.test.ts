import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readEntireFile } from "./durable-file.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "sluice-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it("reads a file and a link to it", async () => {
  writeFileSync(join(directory, "file"), "content");
  symlinkSync("file", join(directory, "link"));
  expect([String(await readEntireFile(join(directory, "file"))), String(await readEntireFile(join(directory, "link")))]).toEqual(["content", "content"]);
  await expect(readEntireFile(join(directory, "none"))).rejects.toMatchObject({ code: "ENOENT" });
});

it("does not block on a pipe and does not read a device", async () => {
  execFileSync("mkfifo", [join(directory, "pipe")]);
  for (const path of [join(directory, "pipe"), "/dev/zero"]) await expect(readEntireFile(path)).rejects.toMatchObject({ code: "ENOTFILE" });
});
