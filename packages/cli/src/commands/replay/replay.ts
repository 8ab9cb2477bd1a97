import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const replay: CommandDeclaration = {
  name: "replay",
  summary: "Replay a past run, with the same or another message, and show how the outcome differs.",
  details: "A replay calls external systems. With --in-session, every call to an external system fails instead.",
  arguments: [{ name: "run", doc: "Run id, for example run_01JCN…, or `last` for the newest run.", required: true, kind: "run or last" }],
  flags: [
    { name: "from-step", value: "id", doc: "Start at this step of the route; its message must have been captured." },
    { name: "body", value: "text", allowsEmpty: true, doc: "Replace the body; parsed as JSON if valid, else used as text." },
    { name: "header", short: "H", value: "name=value", many: true, kind: "assignment", doc: "Replace a header; repeatable." },
    { name: "in-session", doc: "Replay in a test session in which calls to external systems fail." },
    jsonFlag,
    ...runtimeFlags,
  ],
  variables: runtimeVariables,
  examples: [{ doc: "Replay the newest run", command: "sluice replay last" }],
  exits: {
    0: "the replay completed",
    1: "the replay failed, the run cannot be replayed, or the runtime is unreachable or rejected the token",
    2: "invalid command line",
  },
  load: () => import("./run-replay.ts"),
};
