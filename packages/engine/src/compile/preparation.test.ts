import { expect, it } from "vitest";
import type { Exchange } from "../exchange/exchange.ts";
import type { Processor } from "../spi/processor.ts";
import { withPreparation } from "./preparation.ts";

const exchangeOf = (run: { isCancelled: boolean }): Exchange =>
  ({ run: { ...run, signal: AbortSignal.abort(new Error("time limit")) } }) as unknown as Exchange;

it("returns the step itself when it has no preparation", () => {
  const step: Processor = () => undefined;
  expect(withPreparation([], step)).toBe(step);
});

it("waits for all asynchronous preparation and stays synchronous otherwise", async () => {
  const calls: string[] = [];
  const step: Processor = () => void calls.push("step");
  const later: Processor = () => new Promise((resolve) => setImmediate(() => resolve(void calls.push("later"))));
  expect(withPreparation([() => void calls.push("now")], step)(exchangeOf({ isCancelled: false }))).toBeUndefined();
  await withPreparation([later, later], step)(exchangeOf({ isCancelled: false }));
  expect(calls).toEqual(["now", "step", "later", "later", "step"]);
});

it("does not run the step if the run was cancelled meanwhile or the preparation failed", async () => {
  let ran = false;
  const step: Processor = () => void (ran = true);
  await expect(withPreparation([() => Promise.resolve()], step)(exchangeOf({ isCancelled: true }))).rejects.toThrow();
  await expect(withPreparation([() => Promise.reject(new Error("no room"))], step)(exchangeOf({ isCancelled: false }))).rejects.toThrow("no room");
  expect(ran).toBe(false);
});
