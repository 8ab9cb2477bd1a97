import { spawn } from "node:child_process";
import { afterEach, expect, it, vi } from "vitest";
import { readyUrl } from "./ready-url.ts";

afterEach(() => vi.restoreAllMocks());

it.each([
  [["not JSON", "5", '{"level":"info"}', '{"baseUrl":"http://localhost:1"}', "later"], "http://localhost:1"],
  [["only text"], undefined],
])("finds the base URL in the output %j and forwards every line", async (lines, expected) => {
  const written: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
  const runtime = spawn(process.execPath, ["-e", `console.log(${JSON.stringify(lines.join("\n"))})`], { stdio: ["ignore", "pipe", "inherit"] });
  expect(await readyUrl(runtime)).toBe(expected);
  await vi.waitFor(() => expect(written).toEqual(lines.map((line) => `${line}\n`)));
});
