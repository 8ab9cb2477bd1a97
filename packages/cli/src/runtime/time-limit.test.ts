import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { timeLimit } from "./time-limit.ts";

it("aborts after its time, even after a garbage collection", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const signal = timeLimit(20, new AbortController().signal);
  for (let count = 0; count < 3; count++) {
    collect();
    await nextTurn();
  }
  // Collecting a large heap may take longer than the limit.
  if (!signal.aborted) await once(signal, "abort");
  expect(signal.aborted).toBe(true);
});

it("aborts with the other signal, immediately if that is already aborted", () => {
  const other = new AbortController();
  const signal = timeLimit(60_000, other.signal);
  expect(signal.aborted).toBe(false);
  other.abort();
  expect(signal.aborted).toBe(true);
  expect(timeLimit(60_000, other.signal).aborted).toBe(true);
});
