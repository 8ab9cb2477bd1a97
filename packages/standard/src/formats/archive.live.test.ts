// The system's tar program as the other side.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "@sluice/engine/spi";
import { exchangeOf, optionsOf } from "@sluice/testkit";
import { expect, test } from "vitest";
import { writeTar } from "./tar-file/tar-archive.ts";
import { tarFile } from "./tar-file/tar-file.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (body: unknown): string => new TextDecoder().decode(body as Uint8Array);

test("the tar program reads our archives, and we read its archives", () => {
  const folder = mkdtempSync(join(tmpdir(), "tar-"));
  try {
    writeFileSync(join(folder, "own.tar"), writeTar("greeting.txt", bytes("hello")));
    expect(execFileSync("tar", ["-xOf", "own.tar", "greeting.txt"], { cwd: folder, encoding: "utf8" })).toBe("hello");
    const longName = `${"n".repeat(150)}.txt`;
    writeFileSync(join(folder, longName), "long");
    writeFileSync(join(folder, "b.txt"), "B".repeat(600));
    execFileSync("tar", ["-cf", "theirs.tar", longName, "b.txt"], { cwd: folder });
    const parts = tarFile
      .create(optionsOf(tarFile, { usingIterator: "true" }))
      .unmarshal(new Uint8Array(readFileSync(join(folder, "theirs.tar"))), exchangeOf()) as readonly Message[];
    expect(parts.map((part) => [part.headers.get("tarFileName"), text(part.body)])).toEqual([
      [longName, "long"],
      ["b.txt", "B".repeat(600)],
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
