import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { commands } from "../commands/index.ts";
import { completionScript } from "./completion-script.ts";

const cases: readonly (readonly [line: string, ...expected: readonly string[]])[] = [
  ["lo", "logs"],
  ["re", "replay", "record"],
  ["lint --fo", "--format"],
  ["lint --format s", "sarif"],
  ["run --max-body-", "--max-body-bytes-held"],
  ["run --max-e", "--max-exchanges"],
  ["completion f", "fish"],
  ["routes s", "show", "start", "stop", "suspend"],
  ["routes list --status St", "Starting", "Started", "Stopping", "Stopped"],
  ["dead-letters delete --y", "--yes"],
];

it("completes commands, actions, flags and values in bash", async () => {
  const calls = cases.map(([line]) => {
    const words = ["sluice", ...line.split(" ")];
    return `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _sluice; echo "\${COMPREPLY[*]}"`;
  });
  const output = execFileSync("bash", ["-c", [await completionScript("bash", commands), ...calls].join("\n")], { encoding: "utf8" });
  expect(output.trim().split("\n")).toEqual(cases.map(([, ...expected]) => expected.join(" ")));
});
