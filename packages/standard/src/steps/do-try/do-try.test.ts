import { diagnosticsOf, flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

const fail = (type: string, message = "boom"): string => `{throwException: {exceptionType: ${type}, message: ${message}}}`;

describe("doTry", () => {
  it("catches by inheritance, in order, and continues with the message of the clause", async () => {
    const run = await flow(`
      - doTry:
          steps: [{setBody: {constant: half}}, ${fail("java.io.FileNotFoundException", "gone")}, {to: "mock:never"}]
          doCatch:
            - {exception: [java.lang.IllegalStateException], steps: [{to: "mock:wrong"}]}
            - {exception: [java.lang.Exception], steps: [{setBody: {simple: "\${body}: \${exception.message}"}}]}
            - {exception: [java.io.FileNotFoundException], steps: [{to: "mock:closer"}]}
      - to: mock:after
    `);
    expect((await run()).body).toBe("half: gone");
    expect([...run.mocks.keys()]).toEqual(["after"]);
  });

  it("accepts its clauses as steps", async () => {
    const run = await flow(`
      - doTry:
          steps:
            - ${fail("java.io.IOException").slice(1, -1)}
            - to: mock:never
            - doCatch: {exception: [java.lang.IllegalStateException], steps: [{to: "mock:wrong"}]}
            - doCatch: {exception: [java.io.IOException], steps: [{to: "mock:caught"}]}
            - doFinally: {steps: [{to: "mock:last"}]}
          doCatch: [{exception: [java.lang.IllegalArgumentException], steps: [{to: "mock:wrong"}]}]
      - to: mock:after
    `);
    expect((await run()).error).toBeUndefined();
    expect([...run.mocks.keys()]).toEqual(["caught", "last", "after"]);
    expect(diagnosticsOf("- doTry: {steps: [{log: x}, {doFinally: {}}], doFinally: {}}")).toEqual([expect.stringContaining("'doFinally' twice")]);
    expect(diagnosticsOf("- filter: {simple: '${body}', steps: [{doFinally: {steps: []}}]}")).toEqual([
      expect.stringContaining("doFinally is not a step; write it in a doTry"),
    ]);
  });

  it("works the same for asynchronous steps", async () => {
    const run = await flow(`
      - doTry:
          steps: [{delay: {constant: "100"}}, ${fail("java.io.IOException", "late")}]
          doCatch: [{exception: [java.io.IOException], steps: [{delay: {constant: "100"}}, {setBody: {simple: "\${exception.message}"}}]}]
          doFinally: {steps: [{delay: {constant: "100"}}, {setHeader: {name: done, constant: "yes"}}]}
    `);
    const pending = run();
    await run.host.clock.advance(300);
    expect(await pending).toMatchObject({ body: "late", headers: { done: "yes" }, error: undefined });
  });

  it("rethrows unmatched failures to the caller after the finally steps, bypassing the route's error handler", async () => {
    const run = await flow(`
      - errorHandler: {deadLetterChannel: {deadLetterUri: mock:dead}}
      - from:
          uri: direct:start
          steps:
            - doTry:
                steps: [${fail("java.lang.IllegalStateException")}]
                doCatch: [{exception: [java.io.IOException], steps: [{to: "mock:caught"}]}]
                doFinally: {steps: [{to: "mock:finally"}]}
            - to: mock:after
    `);
    expect((await run()).error).toBe("boom");
    expect([...run.mocks.keys()]).toEqual(["finally"]);
  });

  it("fails with the failure of the finally steps, unless an earlier failure was not caught", async () => {
    const last = `doFinally: {steps: [${fail("java.lang.Exception", "last")}]}`;
    const failsTwice = await flow(`- doTry: {steps: [${fail("java.lang.Exception", "first")}], ${last}}`);
    expect((await failsTwice()).error).toBe("first");
    const failsInFinally = await flow(`- doTry: {steps: [{setBody: {constant: x}}], ${last}}`);
    expect((await failsInFinally()).error).toBe("last");
    const caught = await flow(`- doTry: {steps: [${fail("java.lang.Exception", "first")}], doCatch: [{exception: [java.lang.Exception]}], ${last}}`);
    expect((await caught()).error).toBe("last");
  });

  it("fails with the failure of a catch clause instead of the one it caught", async () => {
    const run = await flow(
      `- doTry: {steps: [${fail("java.lang.Exception", "first")}], doCatch: [{exception: [java.lang.Exception], steps: [${fail("java.lang.Exception", "second")}]}]}`,
    );
    expect((await run()).error).toBe("second");
  });

  it("runs neither catch nor finally steps after stop", async () => {
    const run = await flow(`
      - doTry: {steps: [{stop: {}}, {to: "mock:in"}], doCatch: [{exception: [java.lang.Exception], steps: [{to: "mock:c"}]}], doFinally: {steps: [{to: "mock:f"}]}}
      - to: mock:after
    `);
    expect((await run({ body: "x" })).error).toBeUndefined();
    expect(run.mocks.size).toBe(0);
  });

  it("runs the matching clause for a rollback, but the exchange still fails", async () => {
    const run = await flow(`
      - doTry: {steps: [{rollback: undo}], doCatch: [{exception: [java.lang.Exception], steps: [{to: "mock:c"}]}]}
      - to: mock:after
    `);
    expect((await run()).error).toBe("undo");
    expect([...run.mocks.keys()]).toEqual(["c"]);
  });

  it("evaluates onWhen with the exception available and tries the next clause when it is false", async () => {
    const run = await flow(`
      - doTry:
          steps: [{throwException: {exceptionType: java.lang.Exception, message: "\${body}"}}]
          doCatch:
            - {exception: [java.lang.Exception], onWhen: {simple: "\${exception.message} contains 'severe'"}, steps: [{setBody: {constant: alarm}}]}
            - {exception: [java.lang.Exception], steps: [{setBody: {constant: note}}]}
    `);
    expect((await run({ body: "severe loss" })).body).toBe("alarm");
    expect((await run({ body: "a scratch" })).body).toBe("note");
  });

  it("rejects an unknown exception type", () => {
    const [fault] = diagnosticsOf(`- doTry: {steps: [{stop: {}}], doCatch: [{exception: [java.lang.IOException], steps: [{stop: {}}]}]}`);
    expect(fault).toContain("unknown exception type 'java.lang.IOException'");
  });
});
