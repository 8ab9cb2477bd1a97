import type { Run } from "@sluice/client";
import { expect, test } from "vitest";
import { groupRuns } from "./run-groups.ts";

const run = (id: string, { parent = null as string | null, correlationId = id, uri = "webhook" } = {}): Run =>
  ({ id, parentRunId: parent, correlationId, trigger: { uri } }) as Run;
const grouped = (runs: readonly Run[]) =>
  groupRuns(runs, (uri) => uri.startsWith("seda:")).map(({ run: { id }, called }) => [
    id,
    called.map(({ depth, run: calledRun }) => `${depth} ${calledRun.id}`),
  ]);

test("called runs are listed under their caller in the order of the calls; other runs are separate", () => {
  const newestFirst = [
    run("other"),
    run("a2", { parent: "a" }),
    run("a11", { parent: "a1" }),
    run("a1", { parent: "a" }),
    run("a"),
    run("lost", { parent: "x" }),
  ];
  expect(grouped(newestFirst)).toEqual([
    ["other", []],
    ["a", ["1 a1", "2 a11", "1 a2"]],
    ["lost", []],
  ]);
});

test("runs of queued messages are listed under the first run, unless several runs have its correlation id", () => {
  const queued = run("queued", { correlationId: "a", uri: "seda:later" });
  expect(grouped([queued, run("a")])).toEqual([["a", ["1 queued"]]]);
  expect(grouped([queued, run("b", { correlationId: "a" }), run("a")]).map(([id]) => id)).toEqual(["queued", "b", "a"]);
  expect(grouped([queued])).toEqual([["queued", []]]);
});
