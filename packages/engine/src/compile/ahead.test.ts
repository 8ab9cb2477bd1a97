import { expect, it } from "vitest";
import type { Exchange } from "../exchange/exchange.ts";
import type { Processor } from "../spi/processor.ts";
import { behind } from "./ahead.ts";

const exchangeOf = (run: { isCancelled: boolean }): Exchange =>
  ({ run: { ...run, signal: AbortSignal.abort(new Error("time limit")) } }) as unknown as Exchange;

it("is the step itself when nothing is to be done before", () => {
  const step: Processor = () => undefined;
  expect(behind([], step)).toBe(step);
});

it("waits for all of the work and not at all when none waits", async () => {
  const seen: string[] = [];
  const step: Processor = () => void seen.push("step");
  const later: Processor = () => new Promise((resolve) => setTimeout(() => resolve(void seen.push("later")), 5));
  expect(behind([() => void seen.push("now")], step)(exchangeOf({ isCancelled: false }))).toBeUndefined();
  await behind([later, later], step)(exchangeOf({ isCancelled: false }));
  expect(seen).toEqual(["now", "step", "later", "later", "step"]);
});

it("does not run the step of a run that ended meanwhile, or whose work failed", async () => {
  let ran = false;
  const step: Processor = () => void (ran = true);
  await expect(behind([() => Promise.resolve()], step)(exchangeOf({ isCancelled: true }))).rejects.toThrow();
  await expect(behind([() => Promise.reject(new Error("no room"))], step)(exchangeOf({ isCancelled: false }))).rejects.toThrow("no room");
  expect(ran).toBe(false);
});
