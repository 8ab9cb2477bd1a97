// `sluice versions` and `sluice rollback` against a real runtime.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { runProgram } from "../packages/cli/src/command/program.ts";
import { commands } from "../packages/cli/src/commands/index.ts";
import { recordedTerminal } from "../packages/cli/src/terminal/recorded-terminal.test-support.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, replyFlow, startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let folder: string;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.end());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-cli-"));
  writeFileSync(join(folder, "token"), `${token}\n`);
  for (const text of ["one", "two"])
    await server.api("PUT", `/flows/orders?by=ada&comment=says%20${text}`, { yaml: replyFlow("orders", text), params: { n: text } });
});
afterEach(async () => {
  await server.api("DELETE", "/flows/orders");
  rmSync(folder, { recursive: true, force: true });
});

async function sluice(...args: readonly string[]) {
  const terminal = recordedTerminal();
  const exit = await runProgram(commands, [...args, "--runtime", server.baseUrl, "--token-file", join(folder, "token")], terminal);
  return { exit, output: terminal.output(), stderr: terminal.stderr() };
}
const replyText = async (): Promise<string> => (await call(server.baseUrl, "POST", "/api/orders", "x")).text;
const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;

describe("sluice versions", () => {
  it("lists the versions, newest first, and marks the running one", async () => {
    const { exit, output } = await sluice("versions", "orders");
    expect(exit).toBe(0);
    const [first, second] = output.split("\n");
    expect(first).toMatch(new RegExp(String.raw`^\*\s+2\s+${time}\s+ada\s+\d+ B\s+[0-9a-f]{12}\s+running, says two$`));
    expect(second).toMatch(new RegExp(String.raw`^\s+1\s+${time}\s+ada\s+\d+ B\s+[0-9a-f]{12}\s+says one$`));
    expect(JSON.parse((await sluice("versions", "orders", "--json")).output)).toMatchObject({
      total: 2,
      versions: [{ revision: 2, running: true }, { revision: 1 }],
    });
  });

  it("shows the difference from the current version, or the text", async () => {
    const { exit, output } = await sluice("versions", "orders", "1");
    expect([exit, output.split("\n").slice(1)]).toEqual([
      0,
      ['    - param n: "two"', '    + param n: "one"', "              - setBody:", "    -             constant: two", "    +             constant: one", ""],
    ]);
    expect((await sluice("versions", "orders", "1", "--yaml")).output).toBe(replyFlow("orders", "one"));
    expect((await sluice("versions", "orders", "2")).stderr).toBe("No differences from the current version\n");
  });

  it.each([
    [["versions", "orders", "x"], 2, "sluice versions: 'x' is not a revision: use a number that `sluice versions orders` lists\n"],
    [["versions", "orders", "--yaml"], 2, "sluice versions: --yaml needs a revision: `sluice versions <flow>` lists them\n"],
    [["versions", "orders", "9"], 1, "sluice versions: revision 9 of flow 'orders' not found; available revisions: 1, 2\n"],
    [["versions", "unknown"], 1, "sluice versions: flow 'unknown' not found\n"],
  ])("%j exits with %i", async (args, exit, stderr) => expect(await sluice(...args)).toMatchObject({ exit, stderr }));
});

describe("sluice rollback", () => {
  it("previews, then deploys the previous version, and records author and comment", async () => {
    const dry = await sluice("rollback", "orders", "--dry-run");
    expect([dry.exit, dry.stderr, await replyText()]).toEqual([0, "Nothing was changed\n", "two"]);
    expect(dry.output).toContain("    -             constant: two\n    +             constant: one\n");
    const { exit, stderr } = await sluice("rollback", "orders", "--comment", "two was wrong");
    expect([exit, stderr, await replyText()]).toEqual([0, `Flow 'orders' rolled back to revision 1 (new revision 3) on ${server.baseUrl}\n`, "one"]);
    expect((await sluice("versions", "orders")).output).toMatch(/running, restored from 1, two was wrong\n/);
    expect((await server.api("GET", "/flows/orders/versions")).json.versions[0].by).toBe(process.env["SLUICE_AUTHOR"] ?? userInfo().username);
    expect(await sluice("rollback", "orders", "--to", "1")).toMatchObject({
      exit: 0,
      stderr: "Nothing to do: the current version of flow 'orders' equals revision 1\n",
    });
    expect((await sluice("rollback", "orders", "--json")).output).toContain('"revision": 4');
    expect(await replyText()).toBe("two");
  });

  it.each([
    [["--to", "0"], 2, "sluice rollback: --to must be a positive integer, not '0'\n"],
    [["--to", "7"], 1, "sluice rollback: revision 7 of flow 'orders' not found; available revisions: 1, 2\n"],
    [["--tests", "required"], 1, "sluice rollback: revision 1 of flow 'orders' has no tests to run: roll back without requiring tests\n"],
  ])("%j exits with %i and changes nothing", async (args, exit, stderr) => {
    expect(await sluice("rollback", "orders", ...args)).toMatchObject({ exit, stderr });
    expect(await replyText()).toBe("two");
  });

  it("explains that there is no earlier version", async () => {
    await server.putFlow("single", replyFlow("single", "x"));
    expect(await sluice("rollback", "single")).toMatchObject({
      exit: 1,
      stderr:
        "sluice rollback: flow 'single' has no earlier version: pass --to with a revision listed by `sluice versions single`, or deploy the flow file with `sluice deploy`\n",
    });
  });

  it("sluice deploy records the author and the comment too", async () => {
    writeFileSync(join(folder, "orders.yaml"), replyFlow("orders", "three"));
    expect(await sluice("deploy", join(folder, "orders.yaml"), "--comment", "third")).toMatchObject({ exit: 0 });
    expect((await server.api("GET", "/flows/orders/versions")).json.versions[0]).toMatchObject({
      revision: 3,
      by: process.env["SLUICE_AUTHOR"] ?? userInfo().username,
      comment: "third",
    });
  });
});
