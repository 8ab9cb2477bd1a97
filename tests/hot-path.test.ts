// Invariants of the hot path: no promise in a synchronous route, no allocation per step, and no effect of a detached tap.
import { createHook } from "node:async_hooks";
import { getHeapStatistics } from "node:v8";
import { describe, expect, it } from "vitest";
import { Message } from "@sluice/engine";
import { flow } from "@sluice/testkit";

const steps = `
  - setHeader: {name: kind, constant: order}
  - setProperty: {name: seen, simple: "\${body}"}
  - choice:
      when:
        - simple: "\${header.kind} == 'order'"
          steps: [{setBody: {simple: "\${body}!"}}]
      otherwise:
        steps: [{stop: {}}]
  - filter:
      simple: "\${body} contains '!'"
      steps: [{log: "\${body}"}]
  - to: mock:end
  - setBody: {constant: ok}
`;

/** Promises created while `work` runs, excluding those of the test itself. */
function promisesDuring(work: () => void): number {
  let count = 0;
  const hook = createHook({ init: (_id, type) => void (type === "PROMISE" && count++) }).enable();
  work();
  hook.disable();
  return count;
}

describe("the hot path", () => {
  it("creates no promise in 1,000 runs of a synchronous route", async () => {
    const run = await flow(steps);
    const routeInput = run.runtime.routeInputOf("direct:start");
    const outcomes: unknown[] = [];
    const promises = promisesDuring(() => {
      for (let count = 0; count < 1000; count++) outcomes.push(routeInput?.deliver(new Message("x")));
    });
    expect(promises).toBe(0);
    expect(outcomes.every((outcome) => !(outcome instanceof Promise))).toBe(true);
    expect(run.mocks.get("end")).toHaveLength(1000);
  });

  it("allocates nothing per step: a run of thirty steps takes as many bytes as one of three", async () => {
    const bytesPerRun = async (count: number): Promise<number> => {
      const run = await flow(Array.from({ length: count }, (_, index) => `- setBody: {constant: v${index}}\n`).join(""));
      const routeInput = run.runtime.routeInputOf("direct:start");
      for (let index = 0; index < 20_000; index++) void routeInput?.deliver(new Message("x"));
      const messages = Array.from({ length: 500 }, () => new Message("x"));
      // Garbage collection lowers the figure and other work raises it, so the minimum of many samples is used.
      let min = Infinity;
      for (let attempt = 0; attempt < 40; attempt++) {
        const before = getHeapStatistics().used_heap_size;
        for (const message of messages) void routeInput?.deliver(message);
        const used = getHeapStatistics().used_heap_size - before;
        if (used > 0) min = Math.min(min, used / messages.length);
      }
      return min;
    };
    const three = await bytesPerRun(3);
    const thirty = await bytesPerRun(30);
    expect(three).toBeGreaterThan(100);
    expect(thirty - three).toBeLessThan(24);
  });

  it("creates a promise only from the first asynchronous step on", async () => {
    const run = await flow(`- delay: {constant: "5"}\n- to: mock:end`);
    const pending = run.runtime.routeInputOf("direct:start")?.deliver(new Message("x"));
    expect(pending).toBeInstanceOf(Promise);
    await run.host.clock.advance(10);
    await pending;
    expect(run.mocks.get("end")).toHaveLength(1);
  });

  it("a tap is called while attached, and the original step functions are restored when it is detached", async () => {
    const run = await flow(steps);
    const routeInput = run.runtime.routeInputOf("direct:start");
    const seen: string[] = [];
    const untap = run.runtime.tap({
      layer: 20,
      covers: () => true,
      step: (next, node) => (exchange) => {
        seen.push(node.id);
        return next(exchange);
      },
    });
    await routeInput?.deliver(new Message("x"));
    expect(seen).toEqual(["setHeader1", "setProperty1", "choice1", "setBody1", "filter1", "log1", "to1", "setBody2"]);
    untap();
    await routeInput?.deliver(new Message("x"));
    expect(seen).toHaveLength(8);
    expect(promisesDuring(() => void routeInput?.deliver(new Message("x")))).toBe(0);
  });
});
