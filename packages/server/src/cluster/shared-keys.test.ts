import { ClusterError, type BeanDeclaration, type Claims } from "@sluice/engine";
import type { IdempotentRepository } from "@sluice/engine/spi";
import { beans } from "@sluice/standard";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { memoryCluster } from "./memory-cluster.test-support.ts";
import { sharedRepository } from "./shared-keys.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const memory = beans.find(({ names }) => names.includes("MemoryIdempotentRepository")) as BeanDeclaration;
const repository = (claims: Claims, { flowId = "f", name = "keys" } = {}): IdempotentRepository =>
  sharedRepository(memory, claims).create({ cacheSize: 10, perNode: false } as never, undefined as never, { flowId, name } as never) as IdempotentRepository;

it("checking for a key never makes another node reject a message with that key", async () => {
  const node = memoryCluster();
  const [one, two] = [repository(node("one").claims), repository(node("two").claims)];
  for (let round = 0; round < 50; round++) {
    const key = `k${round}`;
    const [, added] = await Promise.all([one.contains(key), two.add(key), one.contains(key)]);
    expect([added, await one.contains(key), await two.contains(key), await one.add(key)]).toEqual([true, true, true, false]);
  }
});

it("a key that another node removed can be added again, and a late remove does not affect it", async () => {
  const node = memoryCluster();
  const [one, two] = [repository(node("one").claims), repository(node("two").claims)];
  expect(await one.add("k")).toBe(true);
  await two.remove("k");
  expect(await two.add("k")).toBe(true);
  // Node one still has its first claim; releasing it must not release the claim of node two.
  await one.remove("k");
  expect(await one.add("k")).toBe(false);
});

it("flows and repositories have separate keys", async () => {
  const { claims } = memoryCluster()("one");
  const all = [
    repository(claims),
    repository(claims, { flowId: "g" }),
    repository(claims, { name: "other" }),
    repository(claims, { flowId: "f keys", name: "" }),
  ];
  for (const one of all) expect(await one.add("k")).toBe(true);
  for (const one of all) expect(await one.add("k")).toBe(false);
});

it("a message fails with a retryable error when the store does not respond", async () => {
  const claims: Claims = { claim: () => Promise.reject(new Error("the store does not respond")), release: () => Promise.resolve() };
  await expect(repository(claims).add("k")).rejects.toMatchObject({
    code: "store-failed",
    retryable: true,
    message: expect.stringContaining("does not respond"),
  });
});

it("a key that was stored although the store did not respond does not make the retried message a duplicate", async () => {
  const node = memoryCluster();
  const { claims } = node("one");
  let isSilent = true;
  const uncertain = async <T>(done: Promise<T>): Promise<T> => {
    const result = await done;
    if (isSilent) throw new ClusterError("uncertain", "the cluster store did not respond");
    return result;
  };
  const silent: Claims = { claim: (...call) => uncertain(claims.claim(...call)), release: (claim) => uncertain(claims.release(claim)) };
  const [one, two] = [repository(silent), repository(node("two").claims)];
  await expect(one.add("a")).rejects.toMatchObject({ code: "store-failed", retryable: true });
  await expect(one.add("b")).rejects.toMatchObject({ code: "store-failed" });
  isSilent = false;
  expect([await one.contains("a"), await one.add("a"), await one.add("a")]).toEqual([false, true, false]);
  // The message may be retried on any node.
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await two.add("b")).toBe(true);
});

it("a key that could not be removed after a failed run is removed later", async () => {
  const node = memoryCluster();
  const { claims } = node("one");
  let failures = 2;
  const release: Claims["release"] = (claim) =>
    failures-- > 0 ? Promise.reject(new ClusterError("unreachable", "cluster store unreachable")) : claims.release(claim);
  const [one, two] = [repository({ claim: (...call) => claims.claim(...call), release }), repository(node("two").claims)];
  expect(await one.add("k")).toBe(true);
  await expect(one.remove("k")).rejects.toMatchObject({ code: "store-failed" });
  expect(await two.add("k")).toBe(false);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await two.add("k")).toBe(true);
});
