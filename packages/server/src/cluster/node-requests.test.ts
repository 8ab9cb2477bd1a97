// Requests over a connection that loses frames.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { bytes, text } from "./contract-stores.test-support.ts";
import { decodeParts } from "./message-parts.ts";
import { NodeRequests } from "./node-requests.ts";

const options = { to: ["two"], timeoutMs: 3_600_000, maxBytes: 100 };

describe("a request", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Two nodes; frames for which `isLost` is true do not arrive. */
  function pair(isLost: (head: { readonly topic?: string; readonly from: string }) => boolean): readonly [NodeRequests, NodeRequests] {
    const carry = (to: () => NodeRequests) => (_to: string, frame: Uint8Array) => {
      if (!isLost(decodeParts(frame)[0] as never)) queueMicrotask(() => to().receive(frame));
    };
    const one: NodeRequests = new NodeRequests({ node: "one", send: carry(() => two) });
    const two: NodeRequests = new NodeRequests({ node: "two", send: carry(() => one) });
    return [one, two];
  }

  let responses = 0;
  it.each([
    ["the request", ({ topic }: { readonly topic?: string }) => topic === "work"],
    ["the response", ({ from }: { readonly from: string }) => from === "two" && ++responses === 1],
    ["every frame", () => true],
  ])("ends within 20 s when %s is lost", async (_, isLost) => {
    responses = 0;
    const [one, two] = pair(isLost);
    two.respond("work", () => bytes("done"));
    const result = one.request("work", bytes(""), options);
    await vi.advanceTimersByTimeAsync(20_000);
    expect([...(await Promise.race([result, Promise.resolve({ failed: new Map() })])).failed]).toEqual([["two", "lost the request or its response"]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("waits exactly until its time limit for a node that does not respond", async () => {
    const [one, two] = pair(() => false);
    two.respond("work", () => new Promise(() => undefined));
    let failed: unknown;
    void one.request("work", bytes(""), { ...options, timeoutMs: 1_000 }).then((result) => (failed = [...result.failed]));
    await vi.advanceTimersByTimeAsync(999);
    expect(failed).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(failed).toEqual([["two", "did not respond in time"]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("may take as long as the other node works on it", async () => {
    const [one, two] = pair(() => false);
    // real time: the fake timers replace it.
    two.respond("work", () => new Promise((resolve) => setTimeout(() => resolve(bytes("done")), 600_000)));
    const result = one.request("work", bytes(""), options);
    await vi.advanceTimersByTimeAsync(601_000);
    expect(text((await result).responses.get("two"))).toBe("done");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("survives one check without a response", async () => {
    let checks = 0;
    const [one, two] = pair(({ topic }) => topic === "is running" && ++checks % 2 === 1);
    // real time: the fake timers replace it.
    two.respond("work", () => new Promise((resolve) => setTimeout(() => resolve(bytes("done")), 60_000)));
    const result = one.request("work", bytes(""), options);
    await vi.advanceTimersByTimeAsync(61_000);
    expect(text((await result).responses.get("two"))).toBe("done");
  });
});
