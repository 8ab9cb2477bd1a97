import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const record: CommandDeclaration = {
  name: "record",
  summary: "Create a test from a past run: its message becomes the input, the responses become mocks, the outcome becomes the expectation.",
  details:
    "The messages of the run must have been captured: turn on capture with `sluice routes capture` before the run. The test is run in an isolated session before it is written; if it does not pass, a warning is printed. " +
    "The runtime masks secrets; if a test needs one, add a fake value manually.",
  arguments: [{ name: "run", doc: "Run id, for example run_01JCN…, or `last` for the newest run.", required: true, kind: "run or last" }],
  flags: [
    { name: "output", short: "o", value: "file", doc: "Output file (default <route>.test.yaml; - prints to standard output)." },
    { name: "flow", value: "file", doc: "Flow file to reference in the test (default: the id of the deployed flow)." },
    { name: "force", doc: "Overwrite an existing file." },
    jsonFlag,
    ...runtimeFlags,
  ],
  variables: runtimeVariables,
  examples: [{ doc: "Print a test of the newest run", command: "sluice record last --output -" }],
  exits: { 0: "written", 1: "the run does not exist or was not captured, or the runtime is unreachable or rejected the token", 2: "invalid command line" },
  load: () => import("./run-record.ts"),
};
