import type { HttpReply } from "@sluice/engine/spi";
import { FakeClock } from "@sluice/testkit";
import { expect, test } from "vitest";
import { IdempotencyKeys } from "./idempotency.ts";
import { nodeHttpTools } from "./node-http-tools.ts";

const body = Buffer.from("order 1");
const reply = (status = 200, text = "done"): HttpReply => ({ status, headers: undefined, body: text });

test("a key runs once and then returns the first response; other bodies are detected", () => {
  const keys = new IdempotencyKeys(new FakeClock(), nodeHttpTools.digest);
  expect(keys.claim("k", body)).toEqual({ kind: "new" });
  expect(keys.claim("k", body)).toEqual({ kind: "running" });
  expect(keys.claim("k", Buffer.from("order 2"))).toEqual({ kind: "differs" });
  keys.settle("k", reply());
  expect(keys.claim("k", body)).toEqual({ kind: "known", reply: reply() });
  expect(keys.claim("k", Buffer.from("order 2"))).toEqual({ kind: "differs" });
});

test("a failed run releases its key", () => {
  const keys = new IdempotencyKeys(new FakeClock(), nodeHttpTools.digest);
  keys.claim("k", body);
  keys.settle("k", reply(500));
  expect(keys.claim("k", body)).toEqual({ kind: "new" });
});

test("number, age and bytes are bounded; the oldest are evicted first", async () => {
  const clock = new FakeClock();
  const keys = new IdempotencyKeys(clock, nodeHttpTools.digest, { keys: 3, ageMs: 1_000, bytes: 10 });
  for (const key of ["a", "b", "c", "d"]) keys.claim(key, body);
  expect(keys.size).toBe(3);
  expect(keys.claim("a", body)).toEqual({ kind: "new" });
  keys.settle("c", reply(200, "123456"));
  keys.settle("d", reply(200, "123456"));
  expect(keys.claim("d", body)).toMatchObject({ kind: "known" });
  expect(keys.claim("c", body)).toEqual({ kind: "new" });
  await clock.advance(1_001);
  expect(keys.claim("d", body)).toEqual({ kind: "new" });
  expect(keys.size).toBe(1);
});
