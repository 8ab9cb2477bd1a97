import { ClusterError } from "@sluice/engine";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { retryOperation, type StoreLink } from "./retry-operation.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A store that a test disconnects and connects. */
function store(classification: ReturnType<StoreLink["classify"]> = "not-executed") {
  const state = { isUp: true, attempts: 0 };
  const link: StoreLink = { isClosed: () => false, isConnected: () => state.isUp, classify: () => classification };
  const run = (): Promise<string> =>
    retryOperation(link, () => {
      state.attempts++;
      return state.isUp ? Promise.resolve("stored") : Promise.reject(new Error("no response"));
    });
  return { state, link, run };
}

it("an operation waits for a store that is unavailable for less than ten seconds", async () => {
  const { state, run } = store();
  state.isUp = false;
  const result = run();
  await vi.advanceTimersByTimeAsync(9_800);
  expect(state.attempts).toBe(0);
  state.isUp = true;
  await vi.advanceTimersByTimeAsync(200);
  expect(await result).toBe("stored");
});

it("an operation fails after ten seconds, and nothing was sent", async () => {
  const { state, run } = store();
  state.isUp = false;
  let failure: unknown;
  const ended = run().catch((error: unknown) => void (failure = error));
  await vi.advanceTimersByTimeAsync(9_900);
  expect(failure).toBeUndefined();
  await vi.advanceTimersByTimeAsync(300);
  await ended;
  expect([failure, state.attempts]).toEqual([new ClusterError("unreachable", "cluster store unreachable"), 0]);
});

it.each([
  ["unknown", "uncertain", "the cluster store did not respond"],
  ["not-executed", "unreachable", "cluster store unreachable"],
] as const)("an operation whose outcome was '%s' each time fails as '%s'", async (classification, kind, message) => {
  const { link } = store(classification);
  let failure: unknown;
  const ended = retryOperation(link, () => Promise.reject(new Error("no response"))).catch((error: unknown) => void (failure = error));
  await vi.advanceTimersByTimeAsync(10_300);
  await ended;
  expect(failure).toMatchObject({ kind, message });
});

it("a final failure is not repeated", async () => {
  const { link } = store("final");
  let attempts = 0;
  const attempt = (): Promise<never> => {
    attempts++;
    return Promise.reject(new Error("too large"));
  };
  await expect(retryOperation(link, attempt)).rejects.toThrow("too large");
  expect(attempts).toBe(1);
});
