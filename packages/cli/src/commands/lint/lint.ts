import type { CommandDeclaration } from "../../command/declaration.ts";
import { allowEmptyFlag, jsonFlag, paramFlag, profileFlag } from "../../command/shared-flags.ts";

export const lint: CommandDeclaration = {
  name: "lint",
  summary: "Check flows, flow tests and connections for errors that a deployment would reject, with line, column and fix.",
  details:
    "Each finding is one line: file:line:column CODE text (fix: how to fix it). The codes are explained in docs/troubleshooting.md. Parameters are read from --param, " +
    "from <flow>.params.json, from the tests of the flow, from the environment and from application.properties in the folder of the flow or above it. " +
    "Files in a folder `connections` are checked as connections, including files outside the passed paths that a flow uses. " +
    "A call such as direct:orders for which no linted flow has a route is an error, or a warning if flows next to them are not linted. " +
    "A connection that a flow uses but that is not in such a folder is reported as a warning, because a runtime can define it.",
  arguments: [{ name: "paths", doc: "Files or folders (default: the current folder).", many: true, completes: "files" }],
  flags: [
    { name: "format", values: ["text", "json", "sarif"], default: "text", doc: "Output format." },
    { ...jsonFlag, doc: "Same as --format json." },
    { name: "strict", doc: "Fail on warnings too." },
    allowEmptyFlag,
    paramFlag,
    profileFlag,
  ],
  examples: [
    { doc: "Check a folder", command: "sluice lint orders" },
    { doc: "Write findings for a code-scanning service", command: "sluice lint --format sarif orders > lint.sarif" },
  ],
  exits: { 0: "no errors", 1: "errors found, or nothing to check; with --strict, also warnings", 2: "invalid command line, or a path does not exist" },
  load: () => import("./run-lint.ts"),
};
