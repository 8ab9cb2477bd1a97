import { flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

describe("step", () => {
  it("sets its id only for inner steps, and restores the outer id afterwards", async () => {
    const run = await flow(`
      - step:
          id: outer
          steps:
            - step: {id: inner, steps: [{delay: {constant: 1}}, {setHeader: {name: inner, simple: "\${stepId}"}}]}
            - setHeader: {name: outer, simple: "\${stepId}"}
      - setBody: {simple: "\${stepId}"}
    `);
    const pending = run({ body: "x" });
    await run.host.clock.advance(5);
    expect(await pending).toMatchObject({ body: null, headers: { inner: "inner", outer: "outer" } });
  });

  it("resets its id when an inner step fails", async () => {
    const run = await flow(`
      - doTry:
          steps: [{step: {id: fails, steps: [{throwException: {exceptionType: java.lang.Exception, message: no}}]}}]
          doCatch: [{exception: [java.lang.Exception], steps: [{setBody: {simple: "[\${stepId}]"}}]}]
    `);
    expect((await run({ body: "x" })).body).toBe("[]");
  });
});
