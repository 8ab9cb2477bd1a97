import { expect, it } from "vitest";
import { FlowError } from "../errors/flow-error.ts";
import { CompileError } from "../spi/compiler.ts";
import { compilePattern } from "../values/pattern.ts";
import { DiagnosticSink } from "./diagnostics.ts";

const span = { start: 0, end: 1, line: 3, column: 2, endLine: 3, endColumn: 3 };

it("reports errors in the flow, whether found by a check or by evaluating a value, and rethrows bugs", () => {
  const sink = new DiagnosticSink("");
  const failing = (error: unknown) => (): never => {
    throw error;
  };
  expect(sink.attempt({ span }, failing(new CompileError("bad-option", "wrong")), 7)).toBe(7);
  expect(sink.attempt<unknown>({ span }, () => compilePattern("("), 8)).toBe(8);
  expect(sink.found).toMatchObject([
    { code: "bad-option", message: "wrong", span },
    { severity: "error", message: expect.stringContaining("the regular expression '(' is invalid"), span },
  ]);
  for (const bug of [new TypeError("x"), new FlowError("java.lang.Exception", "x", { code: "unexpected" })])
    expect(() => sink.attempt({ span }, failing(bug), 0)).toThrow(bug);
});
