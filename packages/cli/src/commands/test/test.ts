import type { CommandDeclaration } from "../../command/declaration.ts";
import { allowEmptyFlag, jsonFlag, profileFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const test: CommandDeclaration = {
  name: "test",
  summary: "Run flow tests in a temporary runtime, or in isolated sessions on a running one.",
  details:
    "A test file names a flow and contains tests: mocks, the input (when) and the expected result (then). Without --runtime, each flow runs in this process: " +
    "timers and polls do not fire, and a call without a matching mock fails. With --runtime, the deployed flow is tested in isolated sessions that do not affect live traffic.",
  arguments: [{ name: "paths", doc: "Test files or folders (default: the current folder).", many: true, completes: "files" }],
  flags: [
    { name: "reporter", values: ["spec", "json", "junit", "tap"], default: "spec", doc: "Output format." },
    { ...jsonFlag, doc: "The same as --reporter json." },
    { name: "output", short: "o", value: "file", doc: "Write the report to a file and the summary to the terminal." },
    { name: "filter", short: "f", value: "text", doc: "Run only tests whose name contains this text." },
    allowEmptyFlag,
    { name: "coverage", doc: "Report step and branch coverage." },
    { name: "update", doc: "Replace failed reply expectations with the actual replies (not for tests with rows or generated input)." },
    { name: "watch", short: "w", doc: "Run again whenever a file changes." },
    profileFlag,
    ...runtimeFlags.map((flag) =>
      flag.name === "runtime" ? { ...flag, doc: "URL of the runtime to test (default: none; each flow runs in this process)." } : flag,
    ),
  ],
  variables: { SERVICE_DEPLOY_TOKEN: runtimeVariables.SERVICE_DEPLOY_TOKEN },
  examples: [
    { doc: "Run all tests of a folder, with coverage", command: "sluice test orders --coverage" },
    { doc: "Write a report for a build server", command: "sluice test orders --reporter junit --output junit.xml" },
  ],
  exits: { 0: "every test passed", 1: "a test failed, or no test was found", 2: "invalid command line, or a file whose tests could not run" },
  load: () => import("./run-test.ts"),
};
