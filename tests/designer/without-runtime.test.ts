// The designer while its runtime is down: everything that needs no runtime works, and the cause is named.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, startTestServer, token } from "../started-server.ts";
import { findingsOf } from "./axe.ts";
import { hasBrowser, openPage, type OpenPage } from "./browser.ts";
import { startTestDesigner, webhookFlow, type StartedDesigner } from "./started-designer.ts";

const noRuntime = "http://127.0.0.1:9";
const stored = {
  "flows/orders.yaml": webhookFlow("orders"),
  "tests/orders/one.test.yaml": "flowId: orders\ntests:\n  - {name: says ok, when: {webhook: orders}, then: [{reply: {status: 200, bodyEquals: ok}}]}\n",
  "message-mappings/order.yaml": `${JSON.stringify({ source: { format: "json", sample: { id: "A-1" } }, target: { format: "json", sample: { number: "x" } }, map: [] })}\n`,
};

describe.skipIf(!hasBrowser)("without a runtime (needs Chromium)", () => {
  let designer: StartedDesigner | undefined;
  let opened: OpenPage;

  beforeEach(async () => {
    opened = await openPage({ viewport: { width: 1440, height: 900 } });
  });
  afterEach(async () => {
    await opened.close();
    await designer?.end();
    expect(opened.pageErrors).toEqual([]);
  });

  const expectEditable = async (cause: string): Promise<void> => {
    const { page } = opened;
    await page.goto(`${designer?.url}/flows/orders`);
    await page.getByText(cause).waitFor();
    await page.getByRole("treeitem", { name: /Set body/ }).click();
    await page.getByRole("complementary", { name: "Inspector" }).getByLabel("Expression", { exact: true }).waitFor();
    await page.keyboard.press("a");
    await page.getByRole("combobox", { name: "Search steps and connectors" }).fill("log");
    await page.getByRole("option").first().waitFor();
    await page.keyboard.press("Escape");
    expect(await findingsOf(page)).toEqual([]);
  };

  it("icons, forms, Add step, the trial, tests and the mapper work, and the cause is named with its fix", async () => {
    const { page } = opened;
    designer = await startTestDesigner(noRuntime, { stored });
    await expectEditable("The runtime 'local' at http://127.0.0.1:9 is not responding. Start it");
    await page
      .getByRole("treeitem", { name: /Set body/ })
      .locator("svg")
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await page.getByRole("textbox", { name: "Body" }).fill("hello");
    await page.getByRole("region", { name: "Steps", exact: true }).getByText("ok", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Run tests", exact: true }).click();
    await page.getByText("1 of 1 passed in the browser").waitFor();

    await page.goto(`${designer.url}/mappings/messages/order`);
    await page
      .getByRole("tree", { name: "Source fields" })
      .locator('[data-path="id"]')
      .dragTo(page.getByRole("tree", { name: "Target fields" }).locator('[data-path="number"]'));
    await page.getByRole("region", { name: "Sample output" }).getByText('"number": "A-1"').waitFor();
  });

  it("a rejected token is named with its fix, and forms and Add step work", async () => {
    const server = await startTestServer();
    try {
      designer = await startTestDesigner(server.baseUrl, { stored });
      await expectEditable("The runtime 'local' rejected the token. Set SLUICE_TEST_TOKEN");
    } finally {
      await server.end();
    }
  });

  it("when the runtime stops, the list of flows keeps the last known runs and shows their time", async () => {
    const { page } = opened;
    const server = await startTestServer();
    designer = await startTestDesigner(server.baseUrl, { environment: { SLUICE_TEST_TOKEN: token }, stored });
    await server.putFlow("orders", webhookFlow("orders"));
    for (let count = 0; count < 3; count++) await call(server.baseUrl, "POST", "/api/orders", "x");
    await page.goto(`${designer.url}/flows`);
    const row = page.getByRole("row").filter({ hasText: "Orders to ERP" });
    await row.getByRole("cell", { name: "3", exact: true }).waitFor();
    await server.end();
    await page.getByText(/^The runtime is not responding\. Runs as of \d{4}-/).waitFor();
    await row.getByRole("cell", { name: "3", exact: true }).waitFor();
  });
});
