// Tables and documents edited in a real browser and used by a real runtime.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { writeWorkspaceFile } from "../../packages/designer/server/workspace/durable-file.ts";
import { startTestServer, token, type StartedServer } from "../started-server.ts";
import { findingsOf } from "./axe.ts";
import { hasBrowser, openPage, soon, typeSource, type OpenPage } from "./browser.ts";
import { erpOrder, erpResult, shopOrder, units } from "./mapper-sample.ts";
import { startTestDesigner, type StartedDesigner } from "./started-designer.ts";

const screenshots = process.env["SCREENSHOTS"];
const order = {
  name: "Order to ERP",
  source: { format: "json" },
  target: { format: "json" },
  onError: "all",
  map: [
    { to: "orderNo", from: "id", required: true },
    { to: "items[]", forEach: "lines", map: [{ to: "uom", lookup: { table: "uom", key: "unit", from: "shop", to: "sap" } }] },
  ],
  tests: [{ name: "one piece", input: { id: "A", lines: [{ unit: "piece" }] }, output: { orderNo: "A", items: [{ uom: "ST" }] } }],
};
const flow = "- route: {id: convert, from: {uri: webhook, steps: [{to: 'value-mapping:uom?from=shop&to=sap'}]}}\n";

const entry = (agency: string, value: string): string => `<entry><agency>${agency}</agency><schema>unit</schema><value>${value}</value></entry>`;

/** Pastes a copied range into a cell, as from a spreadsheet. */
const paste = (page: Page, cell: string, text: string): Promise<void> =>
  page.getByLabel(cell, { exact: true }).evaluate((element, pasted) => {
    const data = new DataTransfer();
    data.setData("text/plain", pasted);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);

describe.skipIf(!hasBrowser)("mappings (needs Chromium)", () => {
  let runtime: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;
  let page: Page;

  beforeAll(async () => {
    if (screenshots !== undefined) mkdirSync(screenshots, { recursive: true });
  });

  beforeEach(async () => {
    runtime = await startTestServer();
    designer = await startTestDesigner(runtime.baseUrl, { environment: { SLUICE_TEST_TOKEN: token } });
    opened = await openPage();
    page = opened.page;
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    await runtime.end();
    expect(opened.pageErrors).toEqual([]);
  });

  const install = async (): Promise<void> => {
    expect((await runtime.api("PUT", "/value-mappings/uom", units)).status).toBe(201);
    expect((await runtime.api("PUT", "/message-mappings/order-to-erp", order)).status).toBe(201);
    expect((await runtime.putFlow("convert", flow)).status).toBe(201);
  };
  const convert = async (value: string): Promise<string> => (await fetch(`${runtime.baseUrl}/api/convert`, { method: "POST", body: value })).text();

  it("explains the empty state, and creates a table that lookups use immediately", async () => {
    await page.goto(`${designer.url}/mappings`);
    await page.getByRole("heading", { name: "No mappings yet" }).waitFor();
    await page.getByRole("button", { name: "New mapping" }).click();
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("Enter a name.").waitFor();
    await page.getByRole("dialog").getByLabel("Name").fill("UoM");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByLabel("Column 1 name").fill("shop");
    await page.getByLabel("Column 2 name").fill("sap");
    await paste(page, "shop, row 1", "piece\tST\tPCE\nbox\tKAR\tCT\neach\tST\t\n");
    await page.getByLabel("Column 3 name").fill("edi");
    await page.getByText("sap 'ST' maps back to 'piece' (rows 1, 3)").waitFor();
    expect((await runtime.api("GET", "/value-mappings")).json.total).toBe(0);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText(/^Saved at/).waitFor();
    expect((await runtime.api("GET", "/value-mappings")).json.total).toBe(0);
    await page.getByRole("button", { name: "Deploy to local" }).click();
    await page.getByText(/^Deployed to local at/).waitFor();
    expect((await runtime.api("GET", "/value-mappings/uom")).json).toEqual({
      name: "UoM",
      onMissing: "error",
      match: "exact",
      columns: ["shop", "sap", "edi"],
      rows: [
        ["piece", "ST", "PCE"],
        ["box", "KAR", "CT"],
        ["each", "ST", null],
      ],
    });
    await runtime.putFlow("convert", flow);
    expect(await convert("box")).toBe("KAR");
    expect(JSON.parse(readFileSync(join(designer.workspace, "value-mappings/uom.yaml"), "utf8")).columns).toEqual(["shop", "sap", "edi"]);
  });

  it("lists tables and documents with their users, and warns before one in use is deleted", async () => {
    await install();
    await page.goto(`${designer.url}/mappings`);
    const row = page.getByRole("row", { name: /Units of measure/ });
    await row.waitFor();
    await expect
      .poll(() => row.getByRole("cell").allInnerTexts(), soon)
      .toEqual(expect.arrayContaining(["Value mapping", "shop ↔ sap", "2", "order-to-erp, convert"]));
    await page.getByLabel("Search").fill("json");
    await expect.poll(() => page.getByRole("row").count(), soon).toBe(2);
    await page.getByLabel("Search").fill("");
    await row.getByRole("button", { name: "Delete uom" }).click();
    await page.getByText("It is still used by order-to-erp, convert.").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    expect((await runtime.api("GET", "/value-mappings/uom")).status).toBe(200);
    await row.getByRole("button", { name: "Delete uom" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("uom was deleted.").waitFor();
    expect((await runtime.api("GET", "/value-mappings/uom")).status).toBe(404);
  });

  it("looks up values before saving, and keeps unsaved changes across screens", async () => {
    await install();
    await page.goto(`${designer.url}/mappings/values/uom`);
    await page.getByLabel("sap, row 2").fill("BX");
    await page.getByLabel("Value", { exact: true }).fill("box");
    await expect.poll(() => page.getByRole("status", { name: "Result" }).innerText(), soon).toBe("BX");
    await page.getByLabel("Value", { exact: true }).fill("crate");
    await expect.poll(() => page.getByRole("status", { name: "Result" }).innerText(), soon).toContain('no entry for "crate"');
    expect(await convert("box")).toBe("KAR");
    await page.getByRole("link", { name: "Runs" }).click();
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    await page.goBack();
    await page.getByText("Your unsaved changes were restored.").waitFor();
    await expect.poll(() => page.getByLabel("sap, row 2").inputValue(), soon).toBe("BX");
    await page.getByRole("button", { name: "Discard changes" }).click();
    await expect.poll(() => page.getByLabel("sap, row 2").inputValue(), soon).toBe("KAR");
  });

  it("keeps a new unsaved mapping, and discards it on request", async () => {
    await page.goto(`${designer.url}/mappings`);
    await page.getByRole("button", { name: "New mapping" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Orders to ERP");
    await page.getByLabel("Message mapping").check();
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("No source fields yet.").waitFor();
    await page.getByRole("link", { name: "All mappings" }).click();
    await page
      .getByRole("row", { name: /orders-to-erp/ })
      .getByText("Unsaved changes")
      .waitFor();
    await page.getByRole("button", { name: "Delete orders-to-erp" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("heading", { name: "No mappings yet" }).waitFor();
    expect((await runtime.api("GET", "/message-mappings")).json.total).toBe(0);
  });

  it("searches, adds and removes rows and columns with keyboard and buttons", async () => {
    await install();
    await page.goto(`${designer.url}/mappings/values/uom`);
    await page.getByLabel("sap, row 2").press("Enter");
    await page.getByLabel("shop, row 3").waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")), soon).toBe("shop, row 3");
    await page.keyboard.type("meter");
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")), soon).toBe("shop, row 2");
    await page.getByLabel("Find in rows").fill("met");
    await page.getByText("1 of 3 rows").waitFor();
    await expect.poll(() => page.getByLabel("shop, row 1").count(), soon).toBe(0);
    await page.getByLabel("Find in rows").fill("");
    await page.getByRole("button", { name: "Remove row 1" }).click();
    await page.getByRole("button", { name: "Add column" }).click();
    await page.getByRole("button", { name: "Remove column sap" }).click();
    await page.keyboard.press("Control+Enter");
    await page.getByText(/^Deployed to local at/).waitFor();
    expect((await runtime.api("GET", "/value-mappings/uom")).json).toMatchObject({
      columns: ["shop", "column-3"],
      rows: [
        ["box", null],
        ["meter", null],
      ],
    });
  });

  it("imports CSV and SAP files, exports CSV, and reports an invalid file", async () => {
    await install();
    await page.goto(`${designer.url}/mappings/values/uom`);
    await page.getByLabel("sap, row 1").waitFor();
    const file = (name: string, text: string) => page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
    await file("more.csv", "SAP;edi;Shop\nM;MTR;meter\n");
    await page.getByText("New columns: edi.").waitFor();
    await page.getByRole("button", { name: "Append rows" }).click();
    await expect.poll(() => page.getByLabel("edi, row 3").inputValue(), soon).toBe("MTR");
    await expect.poll(() => page.getByLabel("shop, row 3").inputValue(), soon).toBe("meter");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    expect(readFileSync(await (await download).path(), "utf8")).toBe("shop,sap,edi\r\npiece,ST,\r\nbox,KAR,\r\nmeter,M,MTR\r\n");
    await file("value_mapping.xml", `<vm version="2.0"><group id="1">${entry("A", "x")}${entry("B", "y")}</group></vm>`);
    await page.getByRole("button", { name: "Replace table" }).click();
    await expect.poll(() => page.getByLabel("B|unit, row 1").inputValue(), soon).toBe("y");
    await file("broken.xml", "<vm>");
    await page.getByText(/^broken.xml cannot be read:/).waitFor();
  });

  it("shows an error of the runtime, and does not overwrite a newer table", async () => {
    await install();
    await page.goto(`${designer.url}/mappings/values/uom`);
    await page.getByLabel("Column 2 name").fill("shop");
    await page.getByRole("region", { name: "Problems" }).getByText("duplicate column 'shop'").waitFor();
    await page.getByRole("button", { name: "Deploy to local" }).click();
    await page.getByRole("alert").getByText("duplicate column 'shop'").waitFor();
    await page.getByLabel("Column 2 name").fill("sap");
    await page.getByLabel("sap, row 2").fill("MINE");
    await runtime.api("PUT", "/value-mappings/uom", { ...units, rows: [["box", "THEIRS"]] });
    await page.getByRole("button", { name: "Deploy to local" }).click();
    await page.getByRole("alert").getByText("changed since").waitFor();
    expect(await convert("box")).toBe("THEIRS");
    await expect.poll(() => page.getByLabel("sap, row 2").inputValue(), soon).toBe("MINE");
  });

  it("maps the sample in the page as the user types, and names the target and source of each failing field", async () => {
    await install();
    await page.goto(`${designer.url}/mappings/messages/order-to-erp`);
    await page.getByRole("button", { name: "Source", exact: true }).click();
    await page.locator(".cm-content").waitFor();
    await page.getByLabel("Sample input", { exact: true }).last().fill('{"id":"A-7","lines":[{"unit":"box"}]}');
    const output = page.getByRole("region", { name: "Sample output" });
    await expect.poll(() => output.innerText().then((text) => JSON.parse(text)), soon).toEqual({ orderNo: "A-7", items: [{ uom: "KAR" }] });
    await page.getByLabel("Sample input", { exact: true }).last().fill('{"lines":[{"unit":"box"},{"unit":"crate"}]}');
    const failing = page.getByRole("region", { name: "Failed fields" });
    await failing.getByRole("cell", { name: "items[1].uom", exact: true }).waitFor();
    await failing.getByRole("cell", { name: "lines[1].unit", exact: true }).waitFor();
    await failing.getByRole("cell", { name: "orderNo", exact: true }).waitFor();
    await typeSource(page, JSON.stringify({ ...order, map: [{ to: "x.y", expr: "nosuch(id)" }] }));
    await page.getByRole("region", { name: "Problems" }).getByText("x.y: unknown function 'nosuch'").waitFor();
    await page.getByRole("button", { name: "Deploy to local" }).click();
    await page.getByRole("alert").getByText("x.y: unknown function 'nosuch'").waitFor();
    expect((await runtime.api("GET", "/message-mappings/order-to-erp")).json.map).toEqual(order.map);
    await typeSource(page, '{"map": [');
    await page.getByText("The preview shows the last valid version.").waitFor();
  });

  /** Opens a mapping without rules, with a sample message and a target of 20 fields. */
  const openEmptyMapping = async (): Promise<void> => {
    await runtime.api("PUT", "/value-mappings/uom", units);
    mkdirSync(join(designer.workspace, "message-mappings"), { recursive: true });
    const empty = { name: "Order", source: { format: "json", sample: shopOrder }, target: { format: "json", sample: erpOrder }, map: [] };
    writeFileSync(join(designer.workspace, "message-mappings/order.yaml"), `${JSON.stringify(empty, null, 2)}\n`);
    await page.setViewportSize({ width: 1440, height: 1000 });
    await page.goto(`${designer.url}/mappings/messages/order`);
    await page.getByRole("tree", { name: "Target fields" }).waitFor();
  };
  const output = (): Promise<unknown> =>
    page
      .getByRole("region", { name: "Sample output" })
      .innerText()
      .then((text) => JSON.parse(text) as unknown);
  const row = (side: "Source" | "Target", path: string) => page.getByRole("tree", { name: `${side} fields` }).locator(`[data-path="${path}"]`);

  it("maps an order of 20 fields by mouse alone: links, a loop, a function, a lookup and a condition; Save does not deploy", async () => {
    await openEmptyMapping();
    await page.evaluate(() => {
      const counter = globalThis as unknown as { keys: number };
      counter.keys = 0;
      for (const type of ["keydown", "beforeinput"] as const) addEventListener(type, () => counter.keys++, true);
    });
    const saveScreenshot = async (name: string): Promise<void> => {
      if (screenshots !== undefined) await page.screenshot({ path: join(screenshots, `mapper-by-mouse-${name}.png`) });
    };
    const click = (role: "button" | "option", name: string | RegExp): Promise<void> => page.getByRole(role, { name, exact: true }).click();
    const link = (source: string, target: string): Promise<void> => row("Source", source).dragTo(row("Target", target));
    await link("lines", "Items[]");
    await click("button", "Match 13 fields by name");
    await link("id", "OrderNo");
    await link("placedAt", "OrderDate");
    await click("button", "Add function");
    await saveScreenshot("1-function");
    await click("option", /^date date/);
    await link("customer.first", "Customer");
    await link("customer.last", "Customer");
    await link("customer.first", "FirstName");
    await link("customer.last", "LastName");
    await row("Target", "Items[].Unit").click();
    await click("button", "Look up");
    await saveScreenshot("2-lookup");
    await click("button", "Use table");
    await row("Target", "Items[].Position").click();
    await click("button", "Set value");
    await saveScreenshot("3-position");
    await click("option", /^Position in steps of 10/);
    await row("Target", "Express").click();
    await click("button", "Set value");
    await click("option", /^Value in the sample 'X'/);
    await click("button", "Set condition");
    const lists = page.getByRole("dialog", { name: "Condition of Express" });
    await lists
      .getByLabel("Field", { exact: true })
      .getByRole("option", { name: /^total/ })
      .click();
    await lists.getByRole("option", { name: "is greater than", exact: true }).click();
    await lists.getByRole("option", { name: "1000", exact: true }).click();
    await lists.getByText("total > 1000", { exact: true }).waitFor();
    await saveScreenshot("4-condition");
    await lists.getByRole("button", { name: "Apply" }).click();
    await expect.poll(output, soon).toEqual(erpResult);
    await page.getByText("20 of 20 fields mapped").waitFor();
    await saveScreenshot("5-mapped");
    await expect.poll(() => page.locator(".mapper__line").count(), soon).toBe(21);
    await expect.poll(() => page.locator(".mapper__chip").allInnerTexts(), soon).toEqual(expect.arrayContaining(["for each", "date", "join", "lookup"]));
    await click("button", "Set condition");
    await lists.getByRole("option", { name: "Replace it", exact: true }).click();
    await lists
      .getByLabel("Field", { exact: true })
      .getByRole("option", { name: /^total/ })
      .click();
    await lists.getByRole("option", { name: "is at least", exact: true }).click();
    await lists.getByRole("option", { name: "10000", exact: true }).click();
    await lists.getByRole("button", { name: "Apply" }).click();
    await expect.poll(output, soon).not.toHaveProperty("Express");
    await click("button", "Undo");
    await expect.poll(output, soon).toEqual(erpResult);
    await click("button", "Save");
    await page.getByText(/^Saved at/).waitFor();
    expect((await runtime.api("GET", "/message-mappings/order")).status).toBe(404);
    await click("button", "Deploy to local");
    await page.getByText(/^Deployed to local at/).waitFor();
    expect((await runtime.api("POST", "/message-mappings/order/execute", { input: shopOrder })).json.output).toEqual(erpResult);
    expect(await page.evaluate(() => (globalThis as unknown as { keys: number }).keys)).toBe(0);
  });

  it("a condition built from lists filters the items of a loop, is combined with another one, and accepts a typed value; axe-core finds nothing in the dialogs", async () => {
    await openEmptyMapping();
    const expectNoFindings = async (): Promise<void> => expect(await findingsOf(page)).toEqual([]);
    await row("Source", "lines").dragTo(row("Target", "Items[]"));
    await row("Source", "lines[*].sku").dragTo(row("Target", "Items[].Sku"));
    await row("Target", "Items[]").click();
    await page.getByRole("button", { name: "Set condition", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Filter of Items[]" });
    const choose = async (field: RegExp, operator: string): Promise<void> => {
      await dialog.getByLabel("Field", { exact: true }).getByRole("option", { name: field }).click();
      await dialog.getByRole("option", { name: operator, exact: true }).click();
    };
    await choose(/^unit/, "is equal to");
    await expect
      .poll(() => dialog.getByLabel("Value", { exact: true }).getByRole("option", { name: /^'/ }).allInnerTexts(), soon)
      .toEqual(["'box'", "'piece'"]);
    await dialog.getByRole("option", { name: "'piece'", exact: true }).click();
    await expectNoFindings();
    await dialog.getByRole("button", { name: "Apply" }).click();
    await expect.poll(output, soon).toEqual({ Items: [{ Sku: "KB-2" }] });
    await page.getByRole("button", { name: "Set condition", exact: true }).click();
    await choose(/^sku/, "starts with");
    await dialog.getByLabel("Other value").fill("KB-1");
    await dialog.getByText("unit == 'piece' and startsWith(sku, 'KB-1')", { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(output, soon).toEqual({ Items: [] });
    await page.getByRole("button", { name: "Set condition", exact: true }).click();
    await dialog.getByRole("button", { name: "Remove condition" }).click();
    await expect.poll(output, soon).toEqual({ Items: [{ Sku: "KB-1" }, { Sku: "KB-2" }] });
    await row("Target", "Express").click();
    await page.getByRole("button", { name: "Set value", exact: true }).click();
    await page.getByRole("combobox", { name: "Search values, or type a constant" }).fill("urgent");
    await expectNoFindings();
    await page.keyboard.press("Enter");
    await expect.poll(output, soon).toMatchObject({ Express: "urgent" });
  });

  it("maps with the keyboard alone, each step can be undone, and a failing field leaves the rest of the result", async () => {
    await openEmptyMapping();
    const press = (keys: string): Promise<void> => page.keyboard.press(keys);
    const walkTo = async (side: "Source" | "Target", path: string): Promise<void> => {
      if (side === "Source") await row("Source", "id").focus();
      await press("Home");
      const at = (): Promise<string | null> => page.evaluate(() => document.activeElement?.getAttribute("data-path") ?? null);
      for (let tries = 0; tries < 40 && (await at()) !== path; tries++) await press("ArrowDown");
      expect(await at()).toBe(path);
    };
    const link = async (source: string, target: string): Promise<void> => {
      await walkTo("Source", source);
      await press("l");
      await walkTo("Target", target);
      await press("Enter");
    };
    await link("id", "OrderNo");
    await link("lines", "Items[]");
    await link("lines[*].unit", "Items[].Unit");
    await walkTo("Target", "Items[].Unit");
    await press("v");
    await page.getByLabel("Table", { exact: true }).waitFor();
    const focused = (): Promise<string | null | undefined> => page.evaluate(() => document.activeElement?.textContent);
    await expect.poll(focused, soon).toBe("uom");
    for (let tabs = 0; tabs < 8 && (await focused()) !== "Use table"; tabs++) await press("Tab");
    await press("Enter");
    const translated = { OrderNo: "A-1", Items: [{ Unit: "KAR" }, { Unit: "ST" }] };
    await expect.poll(output, soon).toEqual(translated);
    // Undoes the lookup, then the link.
    await row("Target", "OrderNo").focus();
    await press("Control+z");
    await expect.poll(output, soon).toEqual({ OrderNo: "A-1", Items: [{ Unit: "box" }, { Unit: "piece" }] });
    await press("Control+z");
    await expect.poll(output, soon).toEqual({ OrderNo: "A-1", Items: [{}, {}] });
    await press("Control+Shift+z");
    await press("Control+Shift+z");
    await expect.poll(output, soon).toEqual(translated);
    await walkTo("Target", "OrderNo");
    await press("f");
    await page.getByRole("combobox", { name: "Search functions" }).waitFor();
    await page.keyboard.type("lower");
    await press("Enter");
    await expect.poll(output, soon).toMatchObject({ OrderNo: "a-1" });
    await row("Target", "OrderNo").focus();
    await press("i");
    await page.keyboard.insertText("total > 2000");
    await expect.poll(output, soon).not.toHaveProperty("OrderNo");
    await row("Target", "OrderNo").focus();
    await press("Control+z");
    await press("Control+z");
    await expect.poll(output, soon).toMatchObject({ OrderNo: "A-1" });
    await press("F2");
    await page.getByLabel("Field name").fill("Number");
    await press("Enter");
    await page.getByRole("region", { name: "Problems" }).getByText("Number: the target has no field 'Number'").waitFor();
    await row("Target", "Number").focus();
    await press("Control+z");
    await row("Target", "OrderNo").focus();
    await press("Delete");
    await expect.poll(output, soon).toEqual({ Items: [{ Unit: "KAR" }, { Unit: "ST" }] });
    await press("Control+z");
    await expect.poll(output, soon).toMatchObject({ OrderNo: "A-1" });
    await page.getByRole("button", { name: "Sample and format" }).click();
    await page.getByLabel("Sample input").fill(JSON.stringify({ ...shopOrder, lines: [{ unit: "crate" }] }));
    await page.getByRole("button", { name: "Apply" }).click();
    await expect.poll(output, soon).toEqual({ OrderNo: "A-1", Items: [{}] });
    await page.getByRole("region", { name: "Failed fields" }).getByRole("cell", { name: "Items[0].Unit", exact: true }).waitFor();
    await expect.poll(() => row("Target", "Items[].Unit").getAttribute("data-invalid"), soon).toBe("true");
    await page.getByRole("button", { name: "Table", exact: true }).click();
    await page.getByLabel("Formula of Email").fill("customer.email");
    await expect.poll(output, soon).toMatchObject({ Email: "ada@example.org" });
  });

  it("a step opens its mapping with the message at that step as the sample, and the back link leads to its flow", async () => {
    await install();
    const body = '{"id":"A-9","lines":[]}';
    designer.writeFlow("uses", `- route: {id: uses, from: {uri: webhook, steps: [{setBody: {constant: '${body}'}}, {to: 'message-mapping:order-to-erp'}]}}\n`);
    await page.goto(`${designer.url}/flows/uses`);
    await page.getByRole("treeitem", { name: /Map message/ }).click();
    await page.keyboard.press("Shift+D");
    await page.getByRole("complementary", { name: "Data" }).getByText('"A-9"').waitFor();
    await page.getByRole("link", { name: "Open mapping order-to-erp" }).click();
    await row("Source", "id").getByText('"A-9"').waitFor();
    await expect.poll(output, soon).toEqual({ orderNo: "A-9", items: [] });
    await page.getByRole("link", { name: "Back to uses" }).click();
    await page.getByRole("treeitem", { name: /Map message/ }).waitFor();
  });

  it("runs a document's tests in the page, adds one, and does not deploy a document with a failing one", async () => {
    await install();
    await page.goto(`${designer.url}/mappings/messages/order-to-erp`);
    const output = page.getByRole("region", { name: "Sample output" });
    await output.waitFor();
    await page.getByRole("button", { name: "Run tests" }).click();
    await page.getByText("1 of 1 passed").waitFor();
    await page.getByRole("button", { name: "Add sample as test" }).click();
    await page.getByText("2 of 2 passed").waitFor();
    await page.getByRole("button", { name: "Deploy to local" }).click();
    await page.getByText(/^Deployed to local at/).waitFor();
    expect((await runtime.api("GET", "/message-mappings/order-to-erp")).json.tests).toHaveLength(2);
    await page.getByRole("button", { name: "Source", exact: true }).click();
    await typeSource(page, JSON.stringify({ ...order, tests: [{ ...order.tests[0], output: { orderNo: "B", items: [] } }] }));
    await page.getByText("0 of 1 passed").waitFor();
    await page.getByText('orderNo: expected "B", got "A"').first().waitFor();
    await page.getByRole("button", { name: "Deploy to local" }).click();
    await page.getByRole("alert").getByText("test 'one piece' failed").waitFor();
  });

  it("does not change a workspace file with comments, and reports it", async () => {
    await install();
    mkdirSync(join(designer.workspace, "value-mappings"), { recursive: true });
    const file = join(designer.workspace, "value-mappings/uom.yaml");
    writeFileSync(file, "# by hand\ncolumns: [shop, sap]\nrows: [[piece, ST]]\n");
    await page.goto(`${designer.url}/mappings/values/uom`);
    await page.getByLabel("sap, row 1").fill("PCE");
    await page.getByRole("button", { name: "Deploy to local" }).click();
    await page.getByText("was not changed. The new version is installed on the runtime only.").waitFor();
    expect(readFileSync(file, "utf8")).toContain("# by hand");
    expect(await convert("piece")).toBe("PCE");
  });

  it("reports a full disk as such, not as a change made elsewhere; Deploy still installs the new version on the runtime", async () => {
    let isFull = true;
    await designer.end();
    designer = await startTestDesigner(runtime.baseUrl, {
      environment: { SLUICE_TEST_TOKEN: token },
      writeFile: (path, bytes) =>
        isFull && path.includes("value-mappings") ? Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" })) : writeWorkspaceFile(path, bytes),
    });
    await install();
    await page.goto(`${designer.url}/mappings/values/uom`);
    await page.getByLabel("sap, row 1").fill("PCE");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("alert").getByText("nothing was changed").waitFor();
    await expect.poll(() => page.getByText("changed elsewhere").count(), soon).toBe(0);
    await page.getByRole("button", { name: "Deploy to local" }).click();
    await page
      .getByRole("alert")
      .getByText(/^The new version is installed on the runtime, but its file was not saved: .*nothing was changed/)
      .waitFor();
    expect(await convert("piece")).toBe("PCE");
    isFull = false;
    // The hash of the deployed version is known, so the next deployment is not a conflict.
    await page.getByLabel("sap, row 1").fill("PC");
    await page.getByRole("button", { name: "Deploy to local" }).click();
    await expect.poll(() => convert("piece"), soon).toBe("PC");
    await expect.poll(() => page.getByRole("alert").count(), soon).toBe(0);
    expect(readFileSync(join(designer.workspace, "value-mappings/uom.yaml"), "utf8")).toContain("PC");
  });
});
