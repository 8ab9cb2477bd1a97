// The mapper with the keyboard alone, without a runtime, and with several samples.
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, token, type StartedServer } from "../started-server.ts";
import { findingsOf } from "./axe.ts";
import { hasBrowser, openBrowser, openPage, soon, type OpenPage } from "./browser.ts";
import { erpOrder, erpResult, shopOrder, units } from "./mapper-sample.ts";
import { startTestDesigner, type StartedDesigner } from "./started-designer.ts";

const screenshotFolder = process.env["SCREENSHOTS"];
const empty = { name: "Order", source: { format: "json", sample: shopOrder }, target: { format: "json", sample: erpOrder }, map: [] };
const small = {
  ...empty,
  target: { format: "json" },
  map: [
    { to: "number", from: "id" },
    { to: "mail", from: "customer.email" },
    { to: "items[]", forEach: "lines", map: [{ to: "uom", lookup: { table: "uom", key: "unit", from: "shop", to: "sap" } }] },
  ],
};

describe.skipIf(!hasBrowser)("the mapper (needs Chromium)", () => {
  let browser: Browser;
  let runtime: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;
  let page: Page;

  beforeAll(async () => {
    browser = await openBrowser();
    runtime = await startTestServer();
  });
  afterAll(async () => {
    await browser?.close();
    await runtime?.end();
  });
  beforeEach(async () => {
    opened = await openPage(browser, { bypassCSP: true, viewport: { width: 1440, height: 1000 } });
    page = opened.page;
  });
  afterEach(async () => {
    await opened.context.close();
    await designer.end();
    expect(opened.pageErrors).toEqual([]);
  });

  const openMapping = async (document: object, runtimeUrl = runtime.baseUrl): Promise<void> => {
    designer = await startTestDesigner(runtimeUrl, {
      environment: { SLUICE_TEST_TOKEN: token },
      stored: {
        "message-mappings/order.yaml": `${JSON.stringify(document, null, 2)}\n`,
        "value-mappings/uom.yaml": `${JSON.stringify(units)}\n`,
      },
    });
    await page.goto(`${designer.url}/mappings/messages/order`);
    await page.getByRole("tree", { name: "Target fields" }).waitFor();
  };
  const output = (): Promise<unknown> =>
    page
      .getByRole("region", { name: "Sample output" })
      .innerText()
      .then((text) => JSON.parse(text) as unknown);
  const row = (side: "Source" | "Target", path: string): Locator => page.getByRole("tree", { name: `${side} fields` }).locator(`[data-path="${path}"]`);

  it("maps an order of 20 fields with a loop, a lookup and a condition with the keyboard alone, and deploys it", async () => {
    await runtime.api("PUT", "/value-mappings/uom", units);
    await openMapping(empty);
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

  it("opens, maps and saves without a runtime, and reports that the deployed version is unknown", async () => {
    await openMapping(small, "http://127.0.0.1:9");
    await page.getByText("The runtime 'local' at http://127.0.0.1:9 is not responding").waitFor();
    await expect.poll(output, soon).toEqual({ number: "A-1", mail: "ada@example.org", items: [{ uom: "KAR" }, { uom: "ST" }] });
    await page.getByText("Runtime not responding", { exact: true }).waitFor();
    await row("Source", "currency").dragTo(row("Target", "mail"));
    await expect.poll(output, soon).toMatchObject({ mail: "ada@example.org EUR" });
    await row("Target", "number").click();
    await page.getByRole("button", { name: "Look up" }).click();
    await page.getByRole("dialog").getByLabel("Table", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText(/^Saved at/).waitFor();
    await page.getByRole("button", { name: "Deploy to local" }).click();
    await page.getByText("The runtime was not responding when this page was loaded.").waitFor();
    await page.goto(`${designer.url}/mappings`);
    await page.getByRole("link", { name: "order", exact: true }).waitFor();
    expect(await findingsOf(page)).toEqual([]);
  });

  it("marks a required target field without a source, and shows the rest of the result", async () => {
    const schema = { properties: { number: {}, mail: {} }, required: ["mail"] };
    await openMapping({ ...empty, target: { format: "json", schema }, map: [{ to: "number", from: "id" }] });
    await expect.poll(output, soon).toEqual({ number: "A-1" });
    expect(await row("Target", "mail").getAttribute("data-invalid")).toBe("true");
    expect(await row("Target", "number").getAttribute("data-invalid")).toBeNull();
    await page.getByText("mail is required and has no source", { exact: true }).waitFor();
    await row("Source", "customer.email").dragTo(row("Target", "mail"));
    await expect.poll(output, soon).toEqual({ number: "A-1", mail: "ada@example.org" });
    expect(await row("Target", "mail").getAttribute("data-invalid")).toBeNull();
  });

  it("drags a target field to another position, which can be undone, and checks the mapping with all kept samples", async () => {
    await runtime.api("PUT", "/value-mappings/uom", units);
    await openMapping(small);
    await expect.poll(async () => Object.keys((await output()) as object), soon).toEqual(["number", "mail", "items"]);
    await row("Target", "mail").dragTo(row("Target", "number"));
    await expect.poll(async () => Object.keys((await output()) as object), soon).toEqual(["mail", "number", "items"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => Object.keys((await output()) as object), soon).toEqual(["number", "mail", "items"]);
    await row("Target", "items[].uom").dragTo(row("Target", "number"));
    await page.getByText("A field can only be moved among the mapped fields of its group.").waitFor();

    await page.getByRole("button", { name: "Keep sample" }).click();
    await page.getByText("Valid for 1 of 1 sample", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Sample and format" }).click();
    await page.getByLabel("Sample input").fill(JSON.stringify({ ...shopOrder, lines: [{ unit: "crate" }] }));
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("button", { name: "Keep sample" }).click();
    await page.getByText("Valid for 1 of 2 samples", { exact: true }).waitFor();
    expect(await findingsOf(page)).toEqual([]);
    await page.getByLabel("Kept samples").selectOption({ label: "Sample 1" });
    await expect.poll(output, soon).toMatchObject({ items: [{ uom: "KAR" }, { uom: "ST" }] });
  });
});
