import { describe, expect, test } from "vitest";
import { deriveState, type DeployRecord } from "./flow-state.ts";

const at = "2026-11-14T16:02:33.120Z";
const deployed = (hash: string): DeployRecord => ({ target: "t", outcome: "deployed", at, hash, deployedHash: hash, deployedAt: at });
const failed = (hash: string, before: string | null): DeployRecord => ({
  target: "t",
  outcome: "failed",
  at,
  hash,
  deployedHash: before,
  deployedAt: before === null ? null : at,
  error: "line 3: no",
});
const running = (hash: string) => ({ hash, lastModified: at });

describe("the state of a flow", () => {
  test.each([
    ["never deployed", { savedHash: "a", record: undefined, running: null }, "Draft", false],
    ["not even saved", { savedHash: undefined, record: undefined, running: null }, "Draft", false],
    ["undeployed", { savedHash: "a", record: deployed("a"), running: null }, "Draft", false],
    ["what is saved runs", { savedHash: "a", record: deployed("a"), running: running("a") }, "Deployed", false],
    ["deployed by somebody else, same text", { savedHash: "a", record: undefined, running: running("a") }, "Deployed", false],
    ["saved again", { savedHash: "b", record: deployed("a"), running: running("a") }, "Changed", false],
    ["refused, never ran", { savedHash: "b", record: failed("b", null), running: null }, "Failed", false],
    ["refused, old one runs", { savedHash: "b", record: failed("b", "a"), running: running("a") }, "Failed", false],
    ["refused, then edited", { savedHash: "c", record: failed("b", "a"), running: running("a") }, "Changed", false],
    ["refused, then deployed elsewhere", { savedHash: "b", record: failed("b", "a"), running: running("b") }, "Deployed", false],
    ["runtime down keeps the last known", { savedHash: "a", record: deployed("a"), running: undefined }, "Deployed", true],
    ["runtime down, never deployed", { savedHash: "a", record: undefined, running: undefined }, "Draft", true],
  ] as const)("%s", (_name, facts, state, stale) => expect(deriveState(facts)).toMatchObject({ state, stale }));
});
