// What a change reports about the other nodes.
import type { Cluster } from "@sluice/engine";
import { afterEach, expect, it, vi } from "vitest";
import { memoryCluster } from "./memory-cluster.test-support.ts";
import { createRecordCipher } from "./record-cipher.ts";
import { ReplicatedConfig } from "./replicated-config.ts";
import { Session, type Heartbeat } from "./session.ts";
import { settledReport } from "./settled-report.ts";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

/** A node of the cluster that applies changes unless it is cut off. */
async function start(cluster: Cluster, { isCutOff = false, behind = [] }: { readonly isCutOff?: boolean; readonly behind?: Heartbeat["behind"] } = {}) {
  const heartbeat = (): Heartbeat => ({
    node: cluster.node,
    boot: cluster.boot,
    version: "1",
    startedAt: "",
    isReady: true,
    applied: isCutOff ? 0 : config.applied,
    slots: [],
    behind,
  });
  const log = { write: () => undefined } as never;
  const session = new Session({ cluster, log, ttlMs: 600_000, heartbeat, expired: () => undefined });
  const config = new ReplicatedConfig(cluster, createRecordCipher(undefined, undefined), {
    applied: () => session.publishProgress(),
    written: () => undefined,
  });
  cleanUps.push(
    () => config.stop(),
    () => session.close(),
  );
  await session.open([]);
  await config.load();
  config.follow(async () => undefined);
  return { config, session };
}

it("waits until every node has applied the change, and names those that cannot use it", async () => {
  const node = memoryCluster();
  const one = await start(node("one"));
  await start(node("two"), { behind: [{ id: "flow/orders", reason: "no such variable" }] });
  await start(node("three"));
  await vi.waitFor(() => expect(one.session.live()).toHaveLength(3), { timeout: 60_000 });
  const { revision } = await one.config.write("flow/orders", Buffer.from("{}"));
  const report = await settledReport(revision, one.config, one.session, 3_600_000);
  expect(report).toEqual({ revision, nodes: 3, running: 2, behind: [{ node: "two", reason: "flow/orders: no such variable" }] });
});

it("names a node that does not confirm the change in time", async () => {
  const node = memoryCluster();
  const one = await start(node("one"));
  await start(node("two"), { isCutOff: true });
  await vi.waitFor(() => expect(one.session.live()).toHaveLength(2), { timeout: 60_000 });
  const { revision } = await one.config.write("flow/orders", Buffer.from("{}"));
  const report = await settledReport(revision, one.config, one.session, 50);
  expect(report).toEqual({ revision, nodes: 2, running: 1, behind: [{ node: "two", reason: `did not confirm revision ${revision} in time` }] });
});
