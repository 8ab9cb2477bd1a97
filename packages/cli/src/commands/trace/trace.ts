import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const trace: CommandDeclaration = {
  name: "trace",
  summary: "Follow what runs do, step by step, as it happens.",
  flags: [
    { name: "flow", value: "id", doc: "Only this flow." },
    { name: "route", value: "id", doc: "Only this route." },
    { name: "run", value: "id", doc: "Only this run." },
    { name: "type", value: "types", doc: "Only these kinds of events, separated by commas; step.* takes all of a kind." },
    { name: "body", values: ["none", "preview", "full"], default: "preview", doc: "How much of the messages is shown." },
    { name: "replay", value: "count", doc: "Begin with this many past events." },
    { name: "for", value: "seconds", doc: "End after this time instead of following for ever." },
    jsonFlag,
    ...runtimeFlags,
  ],
  variables: runtimeVariables,
  examples: [{ doc: "Follow one route for a second", command: "sluice trace --route orders --for 1" }],
  exits: { 0: "ended", 1: "the runtime does not answer or refuses", 2: "the command line is wrong", 130: "interrupted" },
  load: () => import("./run-trace.ts"),
};
