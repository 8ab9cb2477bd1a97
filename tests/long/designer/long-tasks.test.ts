// Long tasks by keyboard alone, as a user would do them, and every list while the runtime is down.
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { enableAxe, findingsOf } from "../../designer/axe.ts";
import { badge, hasBrowser, openPage, soon, type OpenPage } from "../../designer/browser.ts";
import { erpOrder, erpResult, shopOrder, units } from "../../designer/mapper-sample.ts";
import { startTestDesigner, webhookFlow, type StartedDesigner } from "../../designer/started-designer.ts";
import { startTestServer, token, type StartedServer } from "../../started-server.ts";

const screenshotFolder = process.env["SCREENSHOTS"];

describe.skipIf(!hasBrowser)("long tasks (needs Chromium)", () => {
  let runtime: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;
  let page: Page;

  beforeAll(async () => {
    enableAxe(true);
    runtime = await startTestServer();
  });
  afterAll(async () => {
    enableAxe(false);
    await runtime?.end();
  });
  beforeEach(async () => {
    opened = await openPage({ viewport: { width: 1440, height: 1000 } });
    page = opened.page;
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    expect(opened.pageErrors).toEqual([]);
  });

  const start = async (stored: Readonly<Record<string, string>>, url = runtime.baseUrl): Promise<void> => {
    designer = await startTestDesigner(url, { environment: { SLUICE_TEST_TOKEN: token }, stored });
  };

  it("adds a mapping, uses it, saves a trial as a test and deploys, by keyboard alone", async () => {
    await start({ "flows/mapped.yaml": "- route:\n    id: mapped\n    from:\n      uri: webhook\n      steps:\n        - unmarshal:\n            json: {}\n" });
    const tabTo = async (target: Locator): Promise<void> => {
      await target.waitFor();
      for (let tabs = 0; tabs < 150 && !(await target.evaluate((element) => element === document.activeElement)); tabs++) await page.keyboard.press("Tab");
      expect(await target.evaluate((element) => element === document.activeElement)).toBe(true);
    };
    const command = async (title: string): Promise<void> => {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("combobox").waitFor();
      await page.keyboard.type(title);
      await page.getByRole("dialog").getByRole("option", { name: title }).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };
    await page.goto(`${designer.url}/flows/mapped`);
    await page.getByRole("tree").waitFor();
    await command("Go to Mappings");
    await tabTo(page.getByRole("button", { name: "New mapping" }).first());
    await page.keyboard.press("Enter");
    await tabTo(page.getByRole("dialog").getByLabel("Name"));
    await page.keyboard.type("Orders to ERP");
    await tabTo(page.getByRole("dialog").getByRole("radio", { checked: true }));
    await page.keyboard.press("ArrowDown");
    expect(await page.getByLabel("Message mapping").isChecked()).toBe(true);
    await tabTo(page.getByRole("dialog").getByRole("button", { name: "Create" }));
    await page.keyboard.press("Enter");
    for (const [name, formula] of [
      ["orderNo", "id"],
      ["customerName", "customer.firstName + ' ' + customer.lastName"],
    ] as const) {
      await tabTo(page.getByRole("button", { name: "Add field" }));
      await page.keyboard.press("Enter");
      await page.getByLabel("Field name").waitFor();
      await page.keyboard.type(name);
      await page.keyboard.press("Enter");
      await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-path")), soon).toBe(name);
      await page.keyboard.press("Enter");
      await page.keyboard.type(formula);
    }
    await tabTo(page.getByRole("button", { name: "Deploy to local" }));
    await page.keyboard.press("Enter");
    await page.getByText(/^Deployed to local at/).waitFor();

    await command("mapped");
    await tabTo(page.locator('.canvas [role="treeitem"][tabindex="0"]'));
    await page.keyboard.press("End");
    await page.keyboard.press("a");
    await page.getByRole("combobox", { name: "Search steps and connectors" }).waitFor();
    await page.keyboard.type("message mapping");
    await page.getByRole("option").first().waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await tabTo(page.getByRole("complementary", { name: "Inspector" }).getByLabel("Address", { exact: true }));
    await page.keyboard.press("Control+a");
    await page.keyboard.type("message-mapping:orders-to-erp");
    await page.keyboard.press("Shift+F6");
    await command("Try it");
    await tabTo(page.getByRole("textbox", { name: "Body" }));
    await page.keyboard.press("Control+a");
    await page.keyboard.type('{"id": "A-7", "customer": {"firstName": "Ada", "lastName": "Lovelace"}}');
    await page.getByText("A-7").nth(1).waitFor();
    await tabTo(page.getByRole("button", { name: "Save as test" }));
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByLabel("Test name").waitFor();
    await tabTo(page.getByRole("dialog").getByRole("button", { name: "Save test" }));
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await command("Run tests");
    await page.getByText("1 of 1 passed in the browser").waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("status").filter({ hasText: badge }).waitFor();
    const reply = await fetch(`${runtime.baseUrl}/api/mapped`, { method: "POST", body: '{"id":"B","customer":{"firstName":"Bob","lastName":"Roe"}}' });
    expect(await reply.json()).toEqual({ orderNo: "B", customerName: "Bob Roe" });
  });

  it("maps an order of 20 fields with a loop, a lookup and a condition with the keyboard alone, and deploys it", async () => {
    await runtime.api("PUT", "/value-mappings/uom", units);
    const empty = { name: "Order", source: { format: "json", sample: shopOrder }, target: { format: "json", sample: erpOrder }, map: [] };
    await start({ "message-mappings/order.yaml": `${JSON.stringify(empty, null, 2)}\n`, "value-mappings/uom.yaml": `${JSON.stringify(units)}\n` });
    await page.goto(`${designer.url}/mappings/messages/order`);
    await page.getByRole("tree", { name: "Target fields" }).waitFor();
    const output = (): Promise<unknown> =>
      page
        .getByRole("region", { name: "Sample output" })
        .innerText()
        .then((text) => JSON.parse(text) as unknown);
    const press = (keys: string): Promise<void> => page.keyboard.press(keys);
    const focus = (): Promise<{ path: string | null; side: string | null; text: string; label: string | null }> =>
      page.evaluate(() => {
        const element = document.activeElement as HTMLElement | null;
        return {
          path: element?.getAttribute("data-path") ?? null,
          side: element?.parentElement?.getAttribute("data-side") ?? null,
          text: element?.textContent?.trim() ?? "",
          label: element?.getAttribute("aria-label") ?? null,
        };
      });
    const tabUntil = async (isThere: (at: Awaited<ReturnType<typeof focus>>) => boolean, key = "Tab"): Promise<void> => {
      for (let tabs = 0; tabs < 120; tabs++) {
        if (isThere(await focus())) return;
        await press(key);
      }
      throw new Error(`not reached with ${key}: ${JSON.stringify(await focus())}`);
    };
    const walkTo = async (side: "source" | "target", path: string, key = "Tab"): Promise<void> => {
      await tabUntil((at) => at.side === side, key);
      await press("Home");
      for (let tries = 0; tries < 40 && (await focus()).path !== path; tries++) await press("ArrowDown");
      expect((await focus()).path).toBe(path);
    };
    const link = async (source: string, target: string): Promise<void> => {
      await walkTo("source", source, (await focus()).side === "target" ? "Shift+Tab" : "Tab");
      await press("l");
      await walkTo("target", target);
      await press("Enter");
    };
    await link("lines", "Items[]");
    await tabUntil(({ text }) => text === "Match 13 fields by name");
    await press("Enter");
    await link("id", "OrderNo");
    await link("placedAt", "OrderDate");
    await press("f");
    await page.getByRole("combobox", { name: "Search functions" }).waitFor();
    await page.keyboard.type("date");
    await expect.poll(() => page.locator("[role=option][aria-selected=true]").innerText(), soon).toMatch(/^date\b/);
    await press("Enter");
    await tabUntil(({ label }) => label === "Formula of OrderDate");
    for (const target of ["Customer", "FirstName"]) await link("customer.first", target);
    for (const target of ["Customer", "LastName"]) await link("customer.last", target);
    await walkTo("target", "Items[].Unit");
    await press("v");
    await page.getByLabel("Table", { exact: true }).waitFor();
    await tabUntil(({ text }) => text === "Use table");
    await press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await walkTo("target", "Items[].Position");
    await press("Enter");
    await tabUntil(({ label }) => label === "Formula of Items[].Position");
    await page.keyboard.type("($index + 1) * 10");
    await press("Escape");
    await walkTo("target", "Express");
    await press("=");
    await tabUntil(({ label }) => label === "Formula of Express");
    await page.keyboard.type("'X'");
    await press("Escape");
    await walkTo("target", "Express");
    await press("i");
    await tabUntil(({ label }) => label === "Condition of Express");
    await page.keyboard.type("total > 1000");
    await expect.poll(output, soon).toEqual(erpResult);
    await page.getByText("20 of 20 fields mapped").waitFor();
    if (screenshotFolder !== undefined) await page.screenshot({ path: join(screenshotFolder, "mapper-by-keyboard.png") });
    await press("Escape");
    await tabUntil(({ text }) => text === "Deploy to local", "Shift+Tab");
    await press("Enter");
    await page.getByText(/^Deployed to local at/).waitFor();
    expect((await runtime.api("POST", "/message-mappings/order/execute", { input: shopOrder })).json.output).toEqual(erpResult);
  });

  it("without a runtime, every screen names the cause, and no list shows zeros", async () => {
    const test = "flowId: orders\ntests:\n  - {name: says ok, when: {webhook: orders}, then: [{reply: {status: 200, bodyEquals: ok}}]}\n";
    const mapping = { source: { format: "json" }, target: { format: "json" }, map: [] };
    await start(
      { "flows/orders.yaml": webhookFlow("orders"), "tests/orders/one.test.yaml": test, "message-mappings/order.yaml": `${JSON.stringify(mapping)}\n` },
      "http://127.0.0.1:9",
    );
    const bar = page.getByText("The runtime 'local' at http://127.0.0.1:9 is not responding. Start it");
    for (const path of ["flows", "runs", "dead-letters", "connections", "mappings", "access", "tests", "nodes"]) {
      await page.goto(`${designer.url}/${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await bar.waitFor();
      if (path === "flows") await page.getByRole("link", { name: "Orders to ERP" }).waitFor();
      else if (path === "mappings") await page.getByRole("link", { name: "order", exact: true }).waitFor();
      else if (path === "tests") await page.getByText("one.test.yaml").waitFor();
      else await page.getByRole("alert").first().waitFor();
      const shown = await page.locator("main").innerText();
      expect(
        shown.split(/\s+/).filter((word) => word === "0"),
        path,
      ).toEqual([]);
      expect(shown, path).not.toMatch(/No (runs|dead letters|connections|flows|matches)|never/i);
      expect(await findingsOf(page)).toEqual([]);
    }
  });
});
