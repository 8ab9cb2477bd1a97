// Thousands of random connections on the fast path and on node:http; `npm test` sends a few. SLUICE_SEED repeats a run.
import { it } from "vitest";
import { compareWithNode } from "../../packages/server/src/http/plain/compare-with-node.test-support.ts";

const seed = Number(process.env["SLUICE_SEED"] ?? Date.now() % 1_000_000);
console.log(`SLUICE_SEED=${seed} repeats the comparison of the fast path with node:http`);

it("valid, changed, pipelined and split requests get the same replies on the fast path and from node:http", () => compareWithNode({ seed, numRuns: 5_000 }));
