// The differential test of the fast path at full length; `npm test` runs a short one.
import { it } from "vitest";
import { compareWithNode } from "../../packages/server/src/http/plain/compare-with-node.test-support.ts";

const requests = 5_000;

it("thousands of requests of every shape get the same replies on the fast path and from node:http", () => compareWithNode(requests), 3_600_000);
