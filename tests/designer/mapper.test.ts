// The mapper with the keyboard alone, without a runtime, and with several samples.
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, token, type StartedServer } from "../started-server.ts";
import { findingsOf } from "./axe.ts";
import { hasBrowser, openPage, soon, type OpenPage } from "./browser.ts";
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
  let runtime: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;
  let page: Page;

  beforeAll(async () => {
    runtime = await startTestServer();
  });
  afterAll(() => runtime?.end());
  beforeEach(async () => {
    opened = await openPage({ viewport: { width: 1440, height: 1000 } });
    page = opened.page;
  });
  afterEach(async () => {
    await opened.close();
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
    await expect.poll(() => row("Target", "mail").getAttribute("data-invalid"), soon).toBe("true");
    await expect.poll(() => row("Target", "number").getAttribute("data-invalid"), soon).toBeNull();
    await page.getByText("mail is required and has no source", { exact: true }).waitFor();
    await row("Source", "customer.email").dragTo(row("Target", "mail"));
    await expect.poll(output, soon).toEqual({ number: "A-1", mail: "ada@example.org" });
    await expect.poll(() => row("Target", "mail").getAttribute("data-invalid"), soon).toBeNull();
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
