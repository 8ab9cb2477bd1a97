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
    ["never saved", { savedHash: undefined, record: undefined, running: null }, "Draft", false],
    ["undeployed", { savedHash: "a", record: deployed("a"), running: null }, "Draft", false],
    ["saved version is deployed", { savedHash: "a", record: deployed("a"), running: running("a") }, "Deployed", false],
    ["same text deployed elsewhere", { savedHash: "a", record: undefined, running: running("a") }, "Deployed", false],
    ["saved again", { savedHash: "b", record: deployed("a"), running: running("a") }, "Changed", false],
    ["rejected, never deployed", { savedHash: "b", record: failed("b", null), running: null }, "Failed", false],
    ["rejected, previous version running", { savedHash: "b", record: failed("b", "a"), running: running("a") }, "Failed", false],
    ["rejected, then edited", { savedHash: "c", record: failed("b", "a"), running: running("a") }, "Changed", false],
    ["rejected, then deployed elsewhere", { savedHash: "b", record: failed("b", "a"), running: running("b") }, "Deployed", false],
    ["runtime down, last known state", { savedHash: "a", record: deployed("a"), running: undefined }, "Deployed", true],
    ["runtime down, never deployed", { savedHash: "a", record: undefined, running: undefined }, "Draft", true],
  ] as const)("%s", (_name, details, state, stale) => expect(deriveState(details)).toMatchObject({ state, stale }));
});
