import { Readable } from "node:stream";
import { expect, it, vi } from "vitest";
import { readyUrl } from "./ready-url.ts";

it.each([
  [["not JSON", "5", '{"level":"info"}', '{"baseUrl":"http://localhost:1"}', "later"], "http://localhost:1"],
  [["only text"], undefined],
])("finds the base URL in the output %j and passes on every line", async (lines, expected) => {
  const written: [line: string, isReady: boolean][] = [];
  expect(await readyUrl(Readable.from(lines.map((line) => `${line}\n`)), (...line) => written.push(line))).toBe(expected);
  await vi.waitFor(() => expect(written).toEqual(lines.map((line) => [line, line.includes("baseUrl")])), { timeout: 60_000 });
});
