import { describe, expect, it } from "vitest";
import { lineFormat } from "./output-format.ts";
import { readableLine, timeOfDay, type Paint } from "./readable-line.ts";

const plain: Paint = (_color, text) => text;
const time = "2026-11-19T03:57:49.972Z";
const record = (fields: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ time, level: "INFO", logger: "orders", message: "hello", ...fields });
const shown = (text: string): string => `${timeOfDay(time)} ${text}`;

describe("a log record for people", () => {
  it.each([
    [record(), "INFO  orders hello"],
    [record({ level: "WARN" }), "WARN  orders hello"],
    [record({ flowId: "f", routeId: "r", stepId: "s", runId: "run_1", exchangeId: "e", traceId: "t" }), "INFO  orders hello"],
    [record({ pid: 7, details: { a: 1 } }), 'INFO  orders hello pid=7 details={"a":1}'],
    [record({ error: "Error: boom\n    at x.js:1" }), "INFO  orders hello\n    Error: boom\n        at x.js:1"],
  ])("%s", (line, expected) => expect(readableLine(line, plain)).toBe(shown(expected)));

  it("is one line, and its content cannot control the terminal", () => {
    const line = record({ logger: "a\u001B[2J", message: "one\ntwo\u001B[31m\u009B31m\u2028three", note: "x\u0007y" });
    expect(readableLine(line, plain)).toBe(shown("INFO  a [2J one two [31m 31m three note=x y"));
  });

  it("has colors", () =>
    expect(readableLine(record({ level: "ERROR" }), (color, text) => `<${color}>${text}</>`)).toContain("<red>ERROR</> <bold>orders</> hello"));
});

describe("other lines", () => {
  it.each([
    ['{"baseUrl":"http://127.0.0.1:8080","pid":7,"version":"0.1.0","flows":1,"failedFlows":0}', "Serving at http://127.0.0.1:8080 (process 7, 1 flow)"],
    [
      '{"baseUrl":"http://127.0.0.1:8080","pid":7,"version":"0.1.0","flows":3,"failedFlows":1,"workers":2}',
      "Serving at http://127.0.0.1:8080 (process 7, 3 flows, 1 failed, 2 workers)",
    ],
    ["text of a plug-in", "text of a plug-in"],
    ['{"not": "a record"}', '{"not": "a record"}'],
    ['{"time":"never","level":"INFO","logger":"x","message":"y"}', '{"time":"never","level":"INFO","logger":"x","message":"y"}'],
    ["{broken", "{broken"],
    ["", ""],
  ])("%s", (line, expected) => expect(readableLine(line, plain)).toBe(expected));
});

it.each([
  ["auto", true, true],
  ["auto", false, false],
  ["text", false, true],
  ["json", true, false],
] as const)("the format %s with a terminal: %s is readable: %s", (logFormat, isTerminal, isReadable) => {
  const format = lineFormat({ logFormat }, { NO_COLOR: "1" }, isTerminal);
  expect(format === undefined).toBe(!isReadable);
  if (format !== undefined) expect(format(Buffer.from(`${record()}\n${record()}\n`)).toString()).toBe(`${shown("INFO  orders hello")}\n`.repeat(2));
});

it("has colors in a terminal, unless NO_COLOR is set", () => {
  const text = (environment: Readonly<Record<string, string>>, isTerminal: boolean): string =>
    lineFormat({ logFormat: "text" }, environment, isTerminal)?.(Buffer.from(record())).toString() ?? "";
  expect(text({}, true)).toContain("\u001B[36mINFO ");
  expect(text({ NO_COLOR: "1" }, true)).not.toContain("\u001B");
  expect(text({}, false)).not.toContain("\u001B");
});
