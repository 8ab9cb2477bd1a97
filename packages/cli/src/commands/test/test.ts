import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const test: CommandDeclaration = {
  name: "test",
  summary: "Run flow tests: in a runtime of their own, or in isolated sessions of a running one.",
  details:
    "A test file names a flow and holds tests: mocks, what is sent (when) and what must come of it (then). Without --runtime each flow runs in this process, apart from everything: " +
    "timers and polls rest, and a call that no mock answers fails. With --runtime the deployed flow is tested in sessions that live traffic never sees.",
  arguments: [{ name: "paths", doc: "Test files or folders (default: the current folder).", many: true, completes: "files" }],
  flags: [
    { name: "reporter", values: ["spec", "json", "junit", "tap"], default: "spec", doc: "How results are printed." },
    { ...jsonFlag, doc: "The same as --reporter json." },
    { name: "output", short: "o", value: "file", doc: "Write the report to a file, and the summary to the terminal." },
    { name: "filter", short: "f", value: "text", doc: "Only tests whose name holds this." },
    { name: "coverage", doc: "Tell which steps and branches the tests went through." },
    { name: "update", doc: "Write what came back into the expectations of replies that do not hold (not in tests with rows or generated input)." },
    { name: "watch", short: "w", doc: "Run again whenever a file changes." },
    ...runtimeFlags,
  ],
  variables: runtimeVariables,
  examples: [
    { doc: "All tests of a folder, with coverage", command: "sluice test orders --coverage" },
    { doc: "A report for a build server", command: "sluice test orders --reporter junit --output junit.xml" },
  ],
  exits: { 0: "every test passed", 1: "a test failed", 2: "a file is wrong or cannot be read" },
  load: () => import("./run-test.ts"),
};
