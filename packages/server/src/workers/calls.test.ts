import { describe, expect, it } from "vitest";
import { Calls, type Envelope } from "./calls.ts";

/** Two processes and their channel; messages are copied as over IPC. */
function pair(): { readonly one: Calls; readonly other: Calls } {
  const one: Calls = new Calls(1, (message) => queueMicrotask(() => other.receive(structuredClone(message))));
  const other: Calls = new Calls(2, (message) => queueMicrotask(() => one.receive(structuredClone(message))));
  return { one, other };
}

describe("calls between processes", () => {
  it("resolve with the returned value, in any order", async () => {
    const { one, other } = pair();
    other.on("later", async (ms: number) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return new Map([["waited", ms]]);
    });
    expect(await Promise.all([one.call(2, "later", 20), one.call(2, "later", 1)])).toEqual([new Map([["waited", 20]]), new Map([["waited", 1]])]);
  });

  it("fail with the name, message and code of the remote error", async () => {
    const { one, other } = pair();
    other.on("fails", () => {
      throw Object.assign(new RangeError("too much"), { code: "E_MUCH" });
    });
    await expect(one.call(2, "fails")).rejects.toMatchObject({ name: "RangeError", message: "too much", code: "E_MUCH" });
    await expect(one.call(2, "unknown-method")).rejects.toMatchObject({ message: "no handler for 'unknown-method'", code: "unhandled" });
  });

  it("fail when the other process exits or does not respond", async () => {
    const silent = new Calls(1, () => undefined);
    const call = silent.call(2, "anything");
    const elsewhere = silent.call(3, "anything", undefined, 30);
    silent.failPending(2);
    await expect(call).rejects.toMatchObject({ code: "exited" });
    await expect(elsewhere).rejects.toMatchObject({ code: "timeout" });
  });

  it("ignore an unexpected response", () => {
    const sent: Envelope[] = [];
    const calls = new Calls(1, (message) => void sent.push(message));
    calls.receive({ to: 1, from: 2, response: 99, data: "timeout" });
    expect(sent).toEqual([]);
  });
});
