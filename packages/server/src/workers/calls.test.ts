import { describe, expect, it } from "vitest";
import { Calls, type Envelope } from "./calls.ts";

/** Two processes, and the wire between them; messages are copied as the wire would. */
function pair(): { readonly one: Calls; readonly other: Calls } {
  const one: Calls = new Calls(1, (message) => queueMicrotask(() => other.receive(structuredClone(message))));
  const other: Calls = new Calls(2, (message) => queueMicrotask(() => one.receive(structuredClone(message))));
  return { one, other };
}

describe("calls between processes", () => {
  it("answer with what the other end returns, in any order", async () => {
    const { one, other } = pair();
    other.on("later", async (ms: number) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return new Map([["waited", ms]]);
    });
    expect(await Promise.all([one.call(2, "later", 20), one.call(2, "later", 1)])).toEqual([new Map([["waited", 20]]), new Map([["waited", 1]])]);
  });

  it("fail with the name, text and code of the error at the other end", async () => {
    const { one, other } = pair();
    other.on("fails", () => {
      throw Object.assign(new RangeError("too much"), { code: "E_MUCH" });
    });
    await expect(one.call(2, "fails")).rejects.toMatchObject({ name: "RangeError", message: "too much", code: "E_MUCH" });
    await expect(one.call(2, "unheard-of")).rejects.toMatchObject({ message: "nobody answers to 'unheard-of' here", code: "absent" });
  });

  it("fail when the other end is gone or says nothing", async () => {
    const silent = new Calls(1, () => undefined);
    const asked = silent.call(2, "anything");
    const elsewhere = silent.call(3, "anything", undefined, 30);
    silent.gone(2);
    await expect(asked).rejects.toMatchObject({ code: "gone" });
    await expect(elsewhere).rejects.toMatchObject({ code: "late" });
  });

  it("take no notice of an answer nobody waits for", () => {
    const sent: Envelope[] = [];
    const calls = new Calls(1, (message) => void sent.push(message));
    calls.receive({ to: 1, from: 2, answer: 99, data: "late" });
    expect(sent).toEqual([]);
  });
});
