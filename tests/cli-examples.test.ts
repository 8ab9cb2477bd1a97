// Runs every example in the help of every command as written, in order, in one folder.
import { commands } from "../packages/cli/src/commands/index.ts";
import { findProgram } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cliFolder, type CliFolder } from "./cli-process.ts";
import { startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let folder: CliFolder;
beforeAll(async () => {
  server = await startTestServer();
  folder = cliFolder({ SLUICE_RUNTIME: server.baseUrl, SERVICE_DEPLOY_TOKEN: token });
  expect(await folder.sluice("new", "webhook", "orders")).toMatchObject({ exit: 0 });
  folder.put({ "legacy/routes.xml": '<routes><route id="legacy"><from uri="direct:legacy"/><log message="${body}"/></route></routes>' });
  expect(await folder.sluice("deploy", "orders")).toMatchObject({ exit: 0 });
  expect(await folder.sluice("record", "orders", "--capture", "10")).toMatchObject({ exit: 0 });
  const reply = await fetch(`${server.baseUrl}/api/orders`, { method: "POST", body: "{}" });
  expect(reply.status).toBe(422);
}, 300_000);
afterAll(async () => {
  folder.remove();
  await server.end();
});

const examples = commands.flatMap(({ name, examples: list }) => list.map((example) => [name, example.command, example] as const));

describe("examples of the help", () => {
  it("exist for every command", () => expect(new Set(examples.map(([name]) => name)).size).toBe(commands.length));

  for (const [name, command, { exit = 0, until, needs }] of examples)
    it.skipIf(needs !== undefined && findProgram(needs) === undefined)(
      `${name}: ${command}`,
      async () => {
        const env = { DESIGNER_PORT: "0", SERVICE_PORT: "0" };
        const result = until === undefined ? await folder.shell(command, env) : await folder.interruptAfter(command, until, env);
        expect(result, result.stderr).toMatchObject({ exit });
        if (until !== undefined) expect(result.output + result.stderr).toContain(until);
      },
      120_000,
    );
});

it("sluice dev reports that it always uses one process", async () => {
  const { exit, stderr } = await folder.interruptAfter("sluice dev orders --port 0", "Serving", { SERVICE_WORKERS: "3" });
  expect([exit, stderr.split("\n")[0]]).toEqual([0, "SERVICE_WORKERS=3 is ignored: `sluice dev` uses one process; use `sluice run` for several workers"]);
  expect(await folder.shell("sluice dev orders --port 0", { SERVICE_WORKERS: "x" })).toMatchObject({
    exit: 2,
    output: "",
    stderr: "sluice dev: SERVICE_WORKERS: expected an integer, got 'x'\n",
  });
}, 240_000);
