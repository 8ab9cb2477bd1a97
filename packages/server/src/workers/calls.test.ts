import { describe, expect, it, vi } from "vitest";
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
    const resolvers = new Map<string, () => void>();
    other.on("later", (name: string) => new Promise((resolve) => resolvers.set(name, () => resolve(new Map([["name", name]])))));
    const order: unknown[] = [];
    const calls = ["first", "second"].map((name) => one.call(2, "later", name).then((result) => order.push(result)));
    await vi.waitFor(() => expect(resolvers.size).toBe(2), { timeout: 60_000 });
    for (const name of ["second", "first"]) {
      resolvers.get(name)?.();
      await calls[name === "first" ? 0 : 1];
    }
    expect(order).toEqual([new Map([["name", "second"]]), new Map([["name", "first"]])]);
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
