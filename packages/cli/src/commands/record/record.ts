import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const record: CommandDeclaration = {
  name: "record",
  summary: "Make a test of a past run: its message as input, the answers it got as mocks, its outcome as expectation.",
  details:
    "The messages of the run must have been captured: switch capture on with --capture before the run. The test is tried once in an isolated session before it is written, so that it passes when you first run it. " +
    "Secrets are masked in what the runtime tells; a test that needs one must be given a false one by hand.",
  arguments: [{ name: "run", doc: "The run, such as run_01JCN…, or last; with --capture the route.", required: true }],
  flags: [
    { name: "capture", value: "minutes", doc: "Switch capture on for this route and this time instead of recording." },
    { name: "output", short: "o", value: "file", doc: "Where to write the test (default <route>.test.yaml; - prints it)." },
    { name: "flow", value: "file", doc: "The flow's file as the test should name it (default: the deployed flow's id)." },
    { name: "force", doc: "Write over a file that is there." },
    jsonFlag,
    ...runtimeFlags,
  ],
  variables: runtimeVariables,
  examples: [
    { doc: "Capture what the route does in the next ten minutes", command: "sluice record orders --capture 10" },
    { doc: "The newest run as a test", command: "sluice record last --output -" },
  ],
  exits: { 0: "written", 1: "the run is not there or was not captured", 2: "the command line is wrong" },
  load: () => import("./run-record.ts"),
};
