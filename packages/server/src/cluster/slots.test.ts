import { ClusterError, type Claims, type Cluster } from "@sluice/engine";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { memoryCluster } from "./memory-cluster.test-support.ts";
import { Session, type Heartbeat } from "./session.ts";
import { Slots } from "./slots.ts";

const stops: (() => Promise<void>)[] = [];
beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  vi.useRealTimers();
});

const log = { write: () => undefined } as never;
/** Advances the clock until the condition holds. */
async function until(holds: () => boolean): Promise<void> {
  for (let ms = 0; !holds(); ms += 100) {
    if (ms > 60_000) throw new Error("the condition does not hold after a minute");
    await vi.advanceTimersByTimeAsync(100);
  }
}

interface NodeOptions {
  readonly ttlMs?: number;
  reconcile?(): Promise<boolean>;
}

async function start(cluster: Cluster, { ttlMs = 3_000, reconcile = async () => true }: NodeOptions = {}) {
  let expirations = 0;
  const heartbeat = (): Heartbeat => ({
    node: cluster.node,
    boot: cluster.boot,
    version: "1",
    startedAt: "",
    isReady: true,
    applied: 0,
    slots: slots.list(),
    behind: [],
  });
  const session = new Session({ cluster, log, ttlMs, heartbeat, expired: () => void expirations++ });
  const slots: Slots = new Slots({ cluster, session, log, reconcile });
  stops.push(async () => {
    await slots.stop();
    await session.close();
  });
  await session.open([]);
  slots.start();
  return { session, slots, expirations: () => expirations };
}

/** The cluster with other claims or records. */
const withPart = <T extends "claims" | "records">(cluster: Cluster, part: T, calls: Partial<Cluster[T]>): Cluster => ({
  ...cluster,
  [part]: { ...cluster[part], ...calls },
});

it("a claim that was stored although the store did not respond does not block its slot", async () => {
  const cluster = memoryCluster()("one");
  let failures = 3;
  const claim: Claims["claim"] = async (...call) => {
    const claimed = await cluster.claims.claim(...call);
    if (failures-- > 0) throw new ClusterError("uncertain", "the cluster store did not respond");
    return claimed;
  };
  const { slots } = await start(withPart(cluster, "claims", { claim }));
  await until(() => slots.list().length === 64);
});

it("the other nodes learn of changed slots without waiting for the next heartbeat", async () => {
  const node = memoryCluster();
  // The next heartbeat is due after two minutes.
  const ttlMs = 600_000;
  const one = await start(node("one"), { ttlMs });
  const two = await start(node("two"), { ttlMs });
  const slotsOfOne = (): number | undefined => two.session.live().find(({ node: name }) => name === "one")?.slots.length;
  await until(() => two.slots.list().length >= 2);
  await until(() => slotsOfOne() === one.slots.list().length);
});

it("a slot that could not be released is released later", async () => {
  const node = memoryCluster();
  const cluster = node("one");
  let failures = 2;
  const release: Claims["release"] = (claim) =>
    failures-- > 0 ? Promise.reject(new ClusterError("unreachable", "cluster store unreachable")) : cluster.claims.release(claim);
  const one = await start(withPart(cluster, "claims", { release }));
  await until(() => one.slots.list().length === 64);
  const two = await start(node("two"));
  await until(() => two.slots.list().length >= 2);
});

it("a slot moves to another node only when none of its messages is running", async () => {
  const node = memoryCluster();
  let isSettled = true;
  const one = await start(node("one"), { reconcile: async () => isSettled });
  await until(() => one.slots.list().length === 64);
  isSettled = false;
  const two = await start(node("two"));
  await until(() => one.slots.list().length === 63);
  await vi.advanceTimersByTimeAsync(30_000);
  expect([one.slots.list().length, two.slots.list()]).toEqual([63, []]);
  isSettled = true;
  await until(() => two.slots.list().length >= 2);
  expect(one.slots.list().filter((slot) => two.slots.list().includes(slot))).toEqual([]);
});

it("a dead node stays dead when the heartbeat of this node is interrupted", async () => {
  const cluster = memoryCluster()("one");
  let isDown = false;
  const write: Cluster["records"]["write"] = (...call) =>
    isDown ? Promise.reject(new ClusterError("unreachable", "cluster store unreachable")) : cluster.records.write(...call);
  const ttlMs = 600;
  const { session, expirations } = await start(withPart(cluster, "records", { write }), { ttlMs });
  const dead = { node: "two", boot: "two-0", isReady: true, applied: 0, slots: [], behind: [] };
  await cluster.records.write("nodes", "two-0", Buffer.from(JSON.stringify(dead)));
  expect([session.live().map(({ node }) => node), session.isDead("two-0")]).toEqual([["one", "two"], false]);
  await until(() => session.isDead("two-0"));
  await vi.advanceTimersByTimeAsync(ttlMs / 2);
  isDown = true;
  await until(() => !session.isValid);
  // A node that received no heartbeats itself must not take over the work of others.
  expect([session.isDead("two-0"), session.live().map(({ node }) => node)]).toEqual([false, ["one"]]);
  await until(() => expirations() === 1);
  isDown = false;
  await until(() => session.isValid);
  expect(session.live().map(({ node }) => node)).toEqual(["one"]);
});
