import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, paramFlag } from "../../command/shared-flags.ts";

export const lint: CommandDeclaration = {
  name: "lint",
  summary: "Check flows and flow tests: everything a deploy would refuse, with line, column and remedy.",
  details:
    "Each finding is one line: file:line:column CODE text (fix: remedy). The codes are explained in docs/reference/errors.md. Parameters are taken from --param, " +
    "from <flow>.params.json, from the tests that name the flow and from the environment.",
  arguments: [{ name: "paths", doc: "Files or folders (default: the current folder).", many: true, completes: "files" }],
  flags: [
    { name: "format", values: ["text", "json", "sarif"], default: "text", doc: "How findings are printed." },
    { ...jsonFlag, doc: "The same as --format json." },
    { name: "strict", doc: "Fail on warnings too." },
    paramFlag,
  ],
  examples: [
    { doc: "Check a folder", command: "sluice lint orders" },
    { doc: "Findings for a code-scanning service", command: "sluice lint --format sarif orders > lint.sarif" },
  ],
  exits: { 0: "nothing wrong", 1: "something is wrong", 2: "the command line or a file cannot be read" },
  load: () => import("./run-lint.ts"),
};
