// `sluice versions` and `sluice rollback` against a real runtime.
import { userInfo } from "node:os";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openCliSession, type CliSession } from "./cli-session.ts";
import { call, replyFlow, startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let session: CliSession;
beforeAll(async () => {
  server = await startTestServer();
  session = openCliSession({ SLUICE_RUNTIME: server.baseUrl, SERVICE_DEPLOY_TOKEN: token });
});
afterAll(async () => {
  session.remove();
  await server.end();
});
beforeEach(async () => {
  for (const text of ["one", "two"])
    await server.api("PUT", `/flows/orders?by=ada&comment=says%20${text}`, { yaml: replyFlow("orders", text), params: { n: text } });
});
afterEach(() => server.api("DELETE", "/flows/orders"));

const sluice = (...args: readonly string[]) => session.sluice(...args);
const replyText = async (): Promise<string> => (await call(server.baseUrl, "POST", "/api/orders", "x")).text;
const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;

describe("sluice versions", () => {
  it("lists the versions, newest first, and marks the running one", async () => {
    const { exit, output } = await sluice("versions", "orders");
    expect(exit).toBe(0);
    const lines = [
      String.raw`REVISION  AT                        BY   BYTES  HASH          REMARKS`,
      String.raw` +2  ${time}  ada +\d+  [0-9a-f]{12}  running, says two`,
      String.raw` +1  ${time}  ada +\d+  [0-9a-f]{12}  says one`,
    ];
    expect(output).toMatch(new RegExp(`^${lines.join("\n")}\n$`));
    expect(JSON.parse((await sluice("versions", "orders", "--json")).output)).toMatchObject({
      total: 2,
      versions: [{ revision: 2, running: true }, { revision: 1 }],
    });
  });

  it("shows the difference from the current version, or the text", async () => {
    const { exit, output } = await sluice("versions", "orders", "1");
    expect([exit, output.split("\n").slice(2)]).toEqual([
      0,
      ['    - param n: "two"', '    + param n: "one"', "              - setBody:", "    -             constant: two", "    +             constant: one", ""],
    ]);
    expect((await sluice("versions", "orders", "1", "--yaml")).output).toBe(replyFlow("orders", "one"));
    expect((await sluice("versions", "orders", "2")).stderr).toBe("No differences from the current version\n");
  });

  it.each([[["versions", "orders", "9"], 1, "sluice versions: revision 9 of flow 'orders' not found; available revisions: 1, 2\n"]])(
    "%j exits with %i",
    async (args, exit, stderr) => expect(await sluice(...args)).toMatchObject({ exit, stderr }),
  );
});

describe("sluice rollback", () => {
  it("previews, then deploys the previous version, and records author and comment", async () => {
    const dry = await sluice("rollback", "orders", "--dry-run");
    expect([dry.exit, dry.stderr, await replyText()]).toEqual([0, "Nothing was changed\n", "two"]);
    expect(dry.output).toContain("    -             constant: two\n    +             constant: one\n");
    const { exit, stderr } = await sluice("rollback", "orders", "--comment", "two was wrong");
    expect([exit, stderr, await replyText()]).toEqual([0, `Flow 'orders' rolled back to revision 1 (new revision 3) on ${server.baseUrl}\n`, "one"]);
    expect((await sluice("versions", "orders")).output).toMatch(/running, restored from 1, two was wrong\n/);
    expect((await server.api("GET", "/flows/orders/versions")).json.versions[0].by).toBe(userInfo().username);
    expect(await sluice("rollback", "orders", "--to", "1")).toMatchObject({
      exit: 0,
      stderr: "Nothing to do: the current version of flow 'orders' equals revision 1\n",
    });
    expect((await sluice("rollback", "orders", "--json")).output).toContain('"revision": 4');
    expect(await replyText()).toBe("two");
  });

  it.each([
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
    session.put({ "orders.yaml": replyFlow("orders", "three") });
    expect(await sluice("deploy", "orders.yaml", "--comment", "third")).toMatchObject({ exit: 0 });
    expect((await server.api("GET", "/flows/orders/versions")).json.versions[0]).toMatchObject({
      revision: 3,
      by: userInfo().username,
      comment: "third",
    });
  });
});
