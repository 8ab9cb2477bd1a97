// The contract of the cluster stores on every store, including three NATS servers, which takes too long for `npm test`.
import { env } from "node:process";

env["SLUICE_CONTRACT"] = "all";
await import("../../packages/server/src/cluster/cluster-contract.live.test.ts");
await import("../../packages/server/src/cluster/queue-contract.live.test.ts");
