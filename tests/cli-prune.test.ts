// `sluice deploy --prune`: the runtime gets what the folder has and nothing else, and nothing is removed by accident.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openCliSession, type CliSession } from "./cli-session.ts";
import { call, replyFlow, startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let session: CliSession;
beforeEach(async () => {
  server = await startTestServer();
  session = openCliSession({ SLUICE_RUNTIME: server.baseUrl, SERVICE_DEPLOY_TOKEN: token });
  session.put({ "project/orders.yaml": replyFlow("orders", "one"), "project/billing.yaml": replyFlow("billing", "two") });
});
afterEach(async () => {
  session.remove();
  await server.end();
});

const deploy = (...args: readonly string[]) => session.sluice("deploy", "project", ...args);
const drop = (file: string): void => rmSync(join(session.path, file), { recursive: true });
const namesIn = async (path: string, member: string): Promise<readonly string[]> =>
  (await server.api("GET", path)).json[member].map(({ id, flowId, name }: Readonly<Record<string, string>>) => id ?? flowId ?? name);
const installed = async () => ({
  flows: await namesIn("/flows", "flows"),
  tables: await namesIn("/value-mappings", "valueMappings"),
  documents: await namesIn("/message-mappings", "messageMappings"),
  policies: await namesIn("/auth", "policies"),
  kamelets: await namesIn("/kamelets", "kamelets"),
  connections: await namesIn("/connections", "connections"),
});
const replyText = async (path: string): Promise<string> => (await call(server.baseUrl, "POST", path, "x")).text;

const kamelet = (name: string): string =>
  `apiVersion: camel.apache.org/v1\nkind: Kamelet\nmetadata: {name: ${name}}\nspec: {definition: {}, template: {from: {uri: "kamelet:source", steps: [{setBody: {constant: ${name}}}]}}}\n`;
const mapping = '{"source": {"format": "json"}, "target": {"format": "json"}, "map": []}';

describe("sluice deploy --prune", () => {
  it("lists, asks, and removes everything that the folder no longer contains", async () => {
    session.put({
      "project/policies/billing.json": '{"default": "allow"}',
      "project/policies/orders.json": '{"default": "allow"}',
      "project/value-mappings/uom.json": '{"entries": {"a": "1"}}',
      "project/value-mappings/plants.json": '{"entries": {"a": "1"}}',
      "project/message-mappings/order.json": mapping,
      "project/kamelets/greet-action.kamelet.yaml": kamelet("greet-action"),
      "project/billing.yaml": "- route: {id: billing, from: {uri: webhook, steps: [{to: 'kamelet:greet-action'}]}}\n",
    });
    await server.api("PUT", "/connections/shop", { type: "sqlite", values: { file: "shop.db" } });
    expect((await deploy()).stderr).toContain("8 artifacts deployed");
    for (const file of ["billing.yaml", "policies/billing.json", "value-mappings/plants.json", "message-mappings/order.json", "kamelets"])
      drop(`project/${file}`);
    session.put({ "project/orders.yaml": replyFlow("orders", "changed") });

    const removed =
      "- flow billing (not in project)\n- kamelet greet-action (not in project)\n- policy billing (not in project)\n- message-mapping order (not in project)\n- value-mapping plants (not in project)\n";
    const dry = await deploy("--prune", "--dry-run");
    expect([dry.exit, dry.output.slice(-removed.length), dry.stderr]).toEqual([
      0,
      removed,
      "1 of 3 artifacts would change, and 1 flow, 1 kamelet, 1 policy, 1 message mapping, 1 value mapping would be removed; nothing was deployed\n",
    ]);
    expect(
      JSON.parse((await deploy("--prune", "--dry-run", "--json")).output).changes.filter(({ action }: { action: string }) => action === "remove"),
    ).toHaveLength(5);

    const before = await installed();
    const question = `Remove 1 flow, 1 kamelet, 1 policy, 1 message mapping, 1 value mapping from ${server.baseUrl}? [y/N] `;
    expect(await session.run(["deploy", "project", "--prune"], { answer: "n" })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining(`${question}Nothing was changed\n`),
    });
    expect(await deploy("--prune")).toMatchObject({ exit: 2, stderr: expect.stringContaining("pass --yes to remove 1 flow") });
    expect([await installed(), await replyText("/api/orders")]).toEqual([before, "one"]);

    const { exit, stderr } = await session.run(["deploy", "project", "--prune"], { answer: "y" });
    expect([exit, stderr]).toEqual([0, expect.stringContaining(`1 artifact deployed and 5 removed at ${server.baseUrl}\n`)]);
    expect(await installed()).toEqual({ flows: ["orders"], tables: ["uom"], documents: [], policies: ["orders"], kamelets: [], connections: ["shop"] });
    expect(await replyText("/api/orders")).toBe("changed");
    expect(await deploy("--prune", "--yes")).toMatchObject({ exit: 0, stderr: "Nothing to do: all artifacts are up to date\n" });
  });

  it("deploys under a new id when a file was renamed, and restores the old flow if that fails", async () => {
    await deploy();
    drop("project/billing.yaml");
    session.put({
      "project/invoices.yaml": replyFlow("billing", "renamed"),
      "project/zz.yaml": replyFlow("zz", "z"),
      "project/zzz.yaml": replyFlow("zz", "z"),
    });
    const failed = await deploy("--prune", "--yes");
    expect([failed.exit, failed.stderr]).toEqual([
      1,
      "sluice deploy: project/zzz.yaml: route id 'zz' is already used by flow 'zz'; the other changes were rolled back\n",
    ]);
    expect([(await installed()).flows, await replyText("/api/billing")]).toEqual([["billing", "orders"], "two"]);
    drop("project/zzz.yaml");
    const { exit, output } = await deploy("--prune", "--yes");
    expect([exit, output]).toEqual([0, expect.stringContaining("+ flow invoices (project/invoices.yaml)\n    replaces: flow billing\n")]);
    expect([(await installed()).flows, await replyText("/api/billing")]).toEqual([["invoices", "orders", "zz"], "renamed"]);
  });

  it("does not replace a flow whose secrets could not be restored", async () => {
    await deploy();
    await server.putFlow("billing", replyFlow("billing", "two"), { key: { value: "s3cret", secret: true } });
    drop("project/billing.yaml");
    session.put({ "project/invoices.yaml": replyFlow("billing", "renamed") });
    expect(await deploy("--prune", "--yes")).toMatchObject({ exit: 1, stderr: expect.stringContaining("remove it first with `sluice flows remove billing`") });
    expect((await installed()).flows).toEqual(["billing", "orders"]);
  });

  it("rejects a folder that has no flow in common with the runtime", async () => {
    await deploy();
    session.put({ "other/shipping.yaml": replyFlow("shipping", "x") });
    expect(await session.sluice("deploy", "other", "--prune", "--yes")).toMatchObject({
      exit: 1,
      output: "",
      stderr: `sluice deploy: none of the 2 deployed flows (billing, orders) is in other, so --prune would remove all of them; nothing was changed: check the folder and --runtime, or deploy it without --prune first\n`,
    });
    expect((await installed()).flows).toEqual(["billing", "orders"]);
  });

  it("does not remove the flow of a file that is not recognized as a flow", async () => {
    await deploy();
    session.put({ "project/billing.yaml": "rout:\n  id: billing\n" });
    expect(await deploy("--prune", "--yes")).toMatchObject({
      exit: 1,
      stderr: expect.stringMatching(
        /^sluice deploy: 'project\/billing\.yaml' is not recognized as a flow, so --prune would remove flow 'billing'; nothing was changed: check it/,
      ),
    });
    expect((await installed()).flows).toEqual(["billing", "orders"]);
  });

  it("keeps the policies of flows that stay, unless the folder manages policies", async () => {
    await deploy();
    await server.api("PUT", "/auth/orders", { default: "deny" });
    await server.api("PUT", "/auth/billing", { default: "deny" });
    drop("project/billing.yaml");
    const { exit, stderr } = await deploy("--prune", "--yes");
    expect([exit, stderr]).toEqual([
      0,
      expect.stringContaining("policy 'orders' is kept, because its flow stays: to manage policies with this deployment, create the folder 'policies'\n"),
    ]);
    expect((await installed()).policies).toEqual(["orders"]);
    session.put({ "project/policies/README.md": "none" });
    expect((await deploy("--prune", "--yes")).exit).toBe(0);
    expect((await installed()).policies).toEqual([]);
  });

  it("keeps a Kamelet that a flow of the folder uses, although its file is elsewhere", async () => {
    await server.api("PUT", "/kamelets/greet-action", { yaml: kamelet("greet-action") });
    session.put({ "project/orders.yaml": "- route: {id: orders, from: {uri: webhook, steps: [{to: 'kamelet:greet-action'}]}}\n" });
    expect((await deploy()).exit).toBe(0);
    expect(await deploy("--prune", "--yes")).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining("kamelet 'greet-action' is kept: orders used it before this deployment"),
    });
    expect(await replyText("/api/orders")).toBe("greet-action");
  });

  it("keeps a Kamelet of the project that no flow uses any more", async () => {
    session.put({
      "project/kamelets/greet-action.kamelet.yaml": kamelet("greet-action"),
      "project/billing.yaml": "- route: {id: billing, from: {uri: webhook, steps: [{to: 'kamelet:greet-action'}]}}\n",
    });
    expect((await deploy()).exit).toBe(0);
    session.put({ "project/billing.yaml": replyFlow("billing", "two") });
    expect((await deploy("--prune", "--yes")).exit).toBe(0);
    expect((await installed()).kamelets).toEqual(["greet-action"]);
  });

  it("does not remove a flow that was changed since it was compared", async () => {
    await deploy();
    drop("project/billing.yaml");
    const { fetch: originalFetch } = globalThis;
    globalThis.fetch = async (input, init) => {
      if (init?.method === "DELETE") {
        globalThis.fetch = originalFetch;
        await server.putFlow("billing", replyFlow("billing", "theirs"));
      }
      return originalFetch(input, init);
    };
    const { exit, stderr } = await deploy("--prune", "--yes").finally(() => (globalThis.fetch = originalFetch));
    expect([exit, stderr]).toEqual([
      1,
      expect.stringMatching(/flow 'billing' changed since hash [0-9a-f]{64}; the deployment is installed, but these were not removed: flow 'billing'\n$/),
    ]);
    expect(await replyText("/api/billing")).toBe("theirs");
  });
});
