// The nodes screen with a real cluster: two runtimes as separate processes and a NATS server.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverFor, type TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spawnServer, type SpawnedServer } from "../spawned-server.ts";
import { eventually, replyFlow, startTestServer, token } from "../started-server.ts";
import { findingsOf } from "./axe.ts";
import { hasBrowser, openPage, soon } from "./browser.ts";
import { startTestDesigner } from "./started-designer.ts";

const screenshots = process.env["SCREENSHOTS"];
const nats = await serverFor("nats", { own: true });
const environment = { SLUICE_TEST_TOKEN: token };

describe.skipIf(!hasBrowser || nats === undefined)("the nodes screen (needs Chromium and NATS)", () => {
  const store = nats as TestServer;
  const folder = mkdtempSync(join(tmpdir(), "sluice-nodes-"));
  const nodes: SpawnedServer[] = [];

  const start = (name: string, env: Readonly<Record<string, string>> = {}): Promise<SpawnedServer> =>
    spawnServer({
      dataDir: join(folder, name),
      env: { SERVICE_CLUSTER: `nats://${store.host}:${store.port}/shop`, SERVICE_CLUSTER_REPLICAS: "1", SERVICE_CLUSTER_TTL: "5s", SERVICE_NODE: name, ...env },
    });

  beforeAll(async () => {
    nodes.push(await start("amber", { SHOP_GREETING: "hello" }), await start("blue"));
    await eventually(async () => (await (nodes[0] as SpawnedServer).api("GET", "/nodes")).json.nodes.filter(({ ready }: any) => ready).length === 2);
  });
  afterAll(async () => {
    for (const node of nodes) await node.end("SIGKILL");
    await store.end();
    rmSync(folder, { recursive: true, force: true });
  });

  it("lists the nodes with their state, and shows why one is behind", async () => {
    const [amber] = nodes as [SpawnedServer];
    const designer = await startTestDesigner(amber.baseUrl, { environment });
    const { page, close, pageErrors } = await openPage();
    await page.goto(designer.url);
    await page.getByRole("link", { name: "Nodes" }).click();
    const rows = page.getByRole("region", { name: "Nodes" }).locator("tbody tr");
    await expect.poll(() => rows.count()).toBe(2);
    await expect.poll(() => rows.nth(0).innerText(), soon).toMatch(/amber\s+Queried by this page\s+Up/);
    await expect.poll(() => rows.nth(1).innerText(), soon).toMatch(/blue\s+Up/);
    await expect.poll(() => page.getByText("Cluster shop. Its configuration is stored in NATS. 2 of 2 nodes run revision 0.").count(), soon).toBe(1);
    expect(await findingsOf(page)).toEqual([]);

    // Only one of the nodes has the variable that the flow needs.
    const params = { greeting: { env: "SHOP_GREETING" } };
    const yaml = replyFlow("greet", "x").replace("constant: x", 'simple: "{{greeting}}"');
    const reply = await amber.api("PUT", "/flows/greet", { yaml, params });
    expect([reply.status, reply.json.cluster.behind]).toEqual([201, [{ node: "blue", reason: expect.stringContaining("no value for parameter 'greeting'") }]]);
    await expect.poll(() => rows.nth(1).innerText()).toMatch(/blue\s+Behind\s+.*no value for parameter 'greeting'/s);
    await expect.poll(() => page.getByText("1 of 2 nodes run revision 1.").count(), soon).toBe(1);
    if (screenshots !== undefined) {
      mkdirSync(screenshots, { recursive: true });
      await page.screenshot({ path: join(screenshots, "nodes.png") });
      await page.setViewportSize({ width: 390, height: 844 });
      await page.screenshot({ path: join(screenshots, "nodes-phone.png") });
    }
    expect(pageErrors).toEqual([]);
    await close();
    await designer.end();
  });

  it("has no link without a cluster, and explains how to start one", async () => {
    const runtime = await startTestServer();
    const designer = await startTestDesigner(runtime.baseUrl, { environment });
    const { page, close, pageErrors } = await openPage();
    await page.goto(`${designer.url}/nodes`);
    await page.getByText("To try several nodes on one machine, run: sluice cluster").waitFor();
    await expect.poll(() => page.getByRole("link", { name: "Nodes" }).count(), soon).toBe(0);
    expect(await findingsOf(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
    await close();
    await designer.end();
    await runtime.end();
  });
});
