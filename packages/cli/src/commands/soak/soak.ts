import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const soak: CommandDeclaration = {
  name: "soak",
  summary: "Drive a runtime with mixed traffic, deploys and faults for a time, and check that nothing is lost.",
  details:
    "Installs the flow `sluice-soak`, calls it from several clients, redeploys it again and again, sends broken requests and hangs up, and removes it in the end. Then the books must balance: " +
    "every call had one answer, every run the runtime counts was called for, what failed was told, and what was queued arrived. Without --runtime it drives a runtime of its own in this process.",
  flags: [
    { name: "for", value: "seconds", default: "30", doc: "How long." },
    { name: "clients", value: "count", default: "8", doc: "How many call at the same time." },
    { name: "deploy-every", value: "ms", default: "500", doc: "How often the flow is redeployed." },
    { name: "rate", value: "calls", doc: "At most this many calls a second (default: as fast as answers come)." },
    jsonFlag,
    ...runtimeFlags,
  ],
  variables: runtimeVariables,
  examples: [{ doc: "Two seconds on a runtime of its own", command: "sluice soak --for 2 --clients 4 --rate 100" }],
  exits: { 0: "the books balance", 1: "something was lost, doubled or answered wrongly", 2: "the command line is wrong" },
  load: () => import("./run-soak.ts"),
};
