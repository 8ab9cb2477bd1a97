import type { ClusterHealth, ClusterNode } from "@sluice/client";
import { expect, it } from "vitest";
import { clusterFindings } from "./check-cluster.ts";

const node = (name: string, other: Partial<ClusterNode> = {}): ClusterNode => ({
  node: name,
  boot: "b",
  version: "1.0.0",
  startedAt: "2026-11-17T10:00:00Z",
  ready: true,
  applied: 7,
  slots: [],
  behind: [],
  ...other,
});
const cluster = (other: Partial<ClusterHealth>): ClusterHealth => ({
  name: "shop",
  store: "nats",
  node: "a",
  connectivity: "connected",
  revision: 7,
  applied: 7,
  nodes: [node("a"), node("b")],
  ...other,
});
const texts = (health: ClusterHealth): readonly string[] => clusterFindings(health).map(({ state, text }) => `${state}: ${text}`);

it("lists the nodes of a healthy cluster", () => expect(texts(cluster({}))).toEqual(["ok: cluster 'shop' (NATS), revision 7, nodes: a, b"]));

it("reports a store that cannot be reached", () =>
  expect(texts(cluster({ connectivity: "disconnected" }))).toEqual(["problem: node 'a' cannot reach the store of cluster 'shop'"]));

it("reports nodes that are behind, not ready, or running a different version", () =>
  expect(
    texts(cluster({ nodes: [node("a"), node("b", { version: "0.9.0", ready: false, behind: [{ id: "flow/greet", reason: "no value for parameter 'x'" }] })] })),
  ).toEqual([
    "ok: cluster 'shop' (NATS), revision 7, nodes: a, b",
    "warning: node 'b' could not apply 'flow/greet': no value for parameter 'x'",
    "warning: node 'b' is not ready",
    "warning: the nodes run different versions: a 1.0.0, b 0.9.0",
  ]));
