import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const replay: CommandDeclaration = {
  name: "replay",
  summary: "Run a past run again, as it was or with another message, and tell how the outcome differs.",
  details: "The replay is real: its steps call what they call. --in-session mocks nothing but fails every call that leaves the runtime.",
  arguments: [{ name: "run", doc: "The run, such as run_01JCN…, or last.", required: true }],
  flags: [
    { name: "from-step", value: "id", doc: "Begin at this step of the route; its message must have been captured." },
    { name: "body", value: "text", doc: "Another body: JSON when it is JSON, else text." },
    { name: "header", short: "H", value: "name=value", many: true, doc: "Another value of a header; may be given several times." },
    { name: "in-session", doc: "Replay inside a test session in which calls to other systems fail." },
    jsonFlag,
    ...runtimeFlags,
  ],
  variables: runtimeVariables,
  examples: [{ doc: "The newest run once more", command: "sluice replay last" }],
  exits: { 0: "the replay completed", 1: "it failed, or the run cannot be replayed", 2: "the command line is wrong" },
  load: () => import("./run-replay.ts"),
};
