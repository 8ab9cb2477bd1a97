// Lists of names in the forms: mappings, routes, exceptions and aggregation strategies.
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, token, type StartedServer } from "../started-server.ts";
import { findingsOf } from "./axe.ts";
import { hasBrowser, openPage, soon, type OpenPage } from "./browser.ts";
import { startTestDesigner, type StartedDesigner } from "./started-designer.ts";

const flow = `- onException:
    exception:
      - java.lang.Exception
    steps:
      - log: {message: failed}
- route:
    id: names
    from:
      uri: webhook
      steps:
        - to: {uri: "message-mapping:x"}
        - to: {uri: "direct:x"}
        - split:
            simple: \${body}
            aggregationStrategy: x
            steps:
              - log: {message: part}
        - to: {uri: "sql:select 1", parameters: {dataSource: "#missing"}}
- route:
    id: prices
    description: Look up prices
    from:
      uri: direct:prices
      steps:
        - log: {message: called}
`;

describe.skipIf(!hasBrowser)("lists of names (needs Chromium)", () => {
  let server: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;

  beforeAll(async () => {
    server = await startTestServer();
    const mapping = { name: "Order to ERP", source: { format: "json" }, target: { format: "json" }, map: [{ to: "a", from: "a" }] };
    expect((await server.api("PUT", "/message-mappings/order-to-erp", mapping)).status).toBe(201);
    expect((await server.api("PUT", "/connections/orders", { type: "sqlite", values: { file: "orders.db" } })).status).toBe(201);
  });
  afterAll(() => server?.end());
  beforeEach(async () => {
    designer = await startTestDesigner(server.baseUrl, { environment: { SLUICE_TEST_TOKEN: token }, stored: { "flows/names.yaml": flow } });
    opened = await openPage({ viewport: { width: 1440, height: 900 } });
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    expect(opened.pageErrors).toEqual([]);
  });

  const choose = async (page: Page, label: string): Promise<void> => {
    await page.getByRole("button", { name: `Choose from the list: ${label}`, exact: true }).click();
    await page.getByRole("dialog").getByRole("option").first().waitFor();
  };
  const saveAndExpect = async (page: Page, expected: RegExp): Promise<void> => {
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(() => designer.flowText("names"), soon).toMatch(expected);
  };

  it("offer mappings, routes, strategies, exceptions and connections, and create missing ones", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/flows/names`);
    await page.locator('.card[data-key="1/route/from/steps/0"]').click();
    await choose(page, "Address");
    expect(await findingsOf(page)).toEqual([]);
    await page.getByRole("option", { name: "Order to ERP order-to-erp" }).click();
    await page.getByRole("link", { name: "Open mapping order-to-erp" }).waitFor();
    await page.getByRole("button", { name: "Choose from the list: Address" }).click();
    await page.getByRole("combobox", { name: "Search names, or type a new one" }).fill("invoice-to-sap");
    await page.getByRole("option", { name: "Create invoice-to-sap…" }).click();
    await page.getByRole("link", { name: "Open mapping invoice-to-sap" }).waitFor();

    await page.locator('.card[data-key="1/route/from/steps/1"]').click();
    await choose(page, "Address");
    await page.getByRole("option", { name: "Look up prices prices" }).click();
    await saveAndExpect(page, /uri: "?direct:prices"?/);
    await page.locator('.card[data-key="1/route/from/steps/1"]').click();
    await page.getByRole("button", { name: "Choose from the list: Address" }).click();
    await page.getByRole("combobox", { name: "Search names, or type a new one" }).fill("stock");
    await page.getByRole("option", { name: "Create stock…" }).click();
    await saveAndExpect(page, /- route:\n +id: stock\n +from:\n +uri: direct:stock\n/);

    await page.locator('.card[data-key="1/route/from/steps/2"]').click();
    await choose(page, "Aggregation strategy");
    await page.getByRole("combobox", { name: "Search names" }).fill("GroupedBody");
    await page.getByRole("dialog").getByRole("option").first().click();
    await saveAndExpect(page, /aggregationStrategy: "?#class:org\.apache\.camel\.processor\.aggregate\.Grouped/);
    // A custom strategy is an expression, which is then edited in the form.
    await choose(page, "Aggregation strategy");
    await page.getByRole("option", { name: "Create an expression that merges two messages…" }).click();
    await saveAndExpect(page, /- split:\n +simple: \$\{body\}\n +aggregationExpression:\n +simple: "\$\{variable\.aggregate\}\$\{body\}"\n +steps:/);
    await page.getByLabel("Aggregation expression: expression", { exact: true }).fill("${variable.aggregate},${body}");
    await saveAndExpect(page, /simple: "?\$\{variable\.aggregate\},\$\{body\}"?\n/);

    await page
      .getByRole("treeitem", { name: /On exception|Any error/ })
      .first()
      .click();
    await choose(page, "Exception 1");
    await page.getByRole("combobox", { name: "Search names" }).fill("connect");
    await page.getByRole("option", { name: "Connect java.net.ConnectException" }).click();
    await saveAndExpect(page, /- java\.net\.ConnectException\n/);
    // The list of exception types is fixed; other errors are matched by a condition.
    await choose(page, "Exception 1");
    await page.getByRole("combobox", { name: "Search names" }).fill("stock is empty");
    await page.getByRole("option", { name: "Create a condition on the error…" }).click();
    await saveAndExpect(
      page,
      /- onException:\n +exception:\n +- java\.lang\.Exception\n[^]*?onWhen:\n +simple: "\$\{exception\.message\} contains 'timeout'"\n/,
    );
    await page.getByLabel("On when: expression", { exact: true }).fill("${exception.message} contains 'stock is empty'");
    await saveAndExpect(page, /contains 'stock is empty'/);

    await page.locator('.card[data-key="1/route/from/steps/3"]').click();
    const picker = page.getByLabel("Data source", { exact: true });
    await expect.poll(() => picker.getByRole("option").allInnerTexts(), soon).toContain("orders, SQLite");
    await picker.selectOption("orders");
    await saveAndExpect(page, /dataSource: "?#orders"?/);
    await page.getByRole("link", { name: "New connection…" }).click();
    await page.getByRole("dialog", { name: "New connection" }).getByLabel("Name").waitFor();
  });
});
