import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runProgram } from "../../command/program.ts";
import { recordedTerminal } from "../../terminal/recorded-terminal.test-support.ts";
import { commands } from "../index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-lint-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

async function lint(...args: readonly string[]) {
  const terminal = recordedTerminal();
  const exit = await runProgram(commands, ["lint", ...args], terminal);
  return { exit, output: terminal.output().replaceAll(`${folder}/`, ""), stderr: terminal.stderr().replaceAll(`${folder}/`, "") };
}

const flow = (...steps: readonly string[]): string =>
  `- route:\n    id: orders\n    from:\n      uri: direct:orders\n      steps:\n${steps.map((step) => `        - ${step}\n`).join("")}`;

describe("addresses", () => {
  const callee = "- route: {id: callee, from: {uri: 'direct:callee', steps: [{log: x}]}}\n";

  it("finds calls of routes that no file has, wherever an address can be written", async () => {
    put({
      "a.yaml": flow(
        "to: direct:orders",
        "to: direct:gone1",
        "to: {uri: direct, parameters: {name: gone2}}",
        "toD: direct:gone3",
        "wireTap: {uri: 'seda:gone4'}",
        "enrich: {constant: 'direct:gone5'}",
        "recipientList: {constant: 'direct:callee,direct:gone6'}",
        "routingSlip: {constant: 'direct:gone7'}",
        "doTry: {steps: [{to: 'queue:gone8'}], doCatch: [{exception: [java.lang.Exception], steps: [{to: 'direct:gone9'}]}]}",
        "toD: 'direct:${body}'",
        "to: 'direct:optional?failIfNoConsumers=false'",
        "to: seda:polled",
        "pollEnrich: {constant: 'seda:polled'}",
      ),
      "b.yaml": callee,
    });
    const { output, exit } = await lint(folder);
    const missing = [...output.matchAll(/^a\.yaml:(\d+):\d+ consumer-missing no route consumes '\w+:(gone\d)'/gm)].map(([, line, name]) => [
      Number(line),
      name,
    ]);
    expect(missing).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((index) => [Math.min(index, 8) + 6, `gone${index}`]));
    expect(output.trim().split("\n")).toHaveLength(9);
    expect(exit).toBe(1);
  });

  it("only warns about a call when a flow that is not linted may have the route", async () => {
    put({ "a.yaml": flow("to: direct:callee"), "b.yaml": callee });
    expect(await lint(join(folder, "a.yaml"))).toMatchObject({
      exit: 0,
      output: expect.stringContaining("consumer-missing warning: no route consumes 'direct:callee'"),
    });
    expect(await lint(folder)).toMatchObject({ exit: 0, output: "" });
    rmSync(join(folder, "b.yaml"));
    expect(await lint(join(folder, "a.yaml"))).toMatchObject({ exit: 1 });
  });

  it("tells a misspelled option of an HTTP address from a query parameter", async () => {
    put({
      "a.yaml": flow(
        'to: "http://example.com/x?httpMethd=POST"',
        "to: {uri: 'https://example.com/x', parameters: {bridgeEndpiont: true, userId: 1, user: a, timeout: 5, format: json, useragent: x, authorId: 1}}",
      ),
    });
    const { output, exit } = await lint(folder);
    expect(output.trim().split("\n")).toEqual([
      "a.yaml:6:47 endpoint-option-unknown endpoint 'http' has no option 'httpMethd' (fix: did you mean 'httpMethod'?)",
      expect.stringMatching(/^a\.yaml:7:\d+ endpoint-option-unknown endpoint 'https' has no option 'bridgeEndpiont' \(fix: did you mean 'bridgeEndpoint'\?\)$/),
    ]);
    expect(exit).toBe(1);
  });

  it("reports an address that two files consume, as a deployment would", async () => {
    put({ "a.yaml": callee, "b.yaml": `\n${callee.replace("id: callee", "id: second")}` });
    expect((await lint(folder)).output).toBe(
      "b.yaml:2:35 flow-conflict-claim direct:callee is already served by route 'callee' in a.yaml (fix: give one of them another address)\n",
    );
  });
});
