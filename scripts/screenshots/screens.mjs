// How to reach each screen. A visit ends when the relevant content is visible.
const editor = async (page, url, query = "") => {
  await page.goto(`${url}/flows/orders-to-erp${query}`);
  await page.getByRole("treeitem").first().waitFor();
};
const button = (page, name) => page.getByRole("button", { name, exact: true });
const waitForMetrics = (page) => page.getByText("p95").first().waitFor();

export const screens = {
  flows: (page, url) => page.goto(`${url}/flows`).then(() => page.getByRole("link", { name: "Orders to ERP" }).waitFor()),
  "new-flow": async (page, url) => {
    await page.goto(`${url}/flows/new`);
    await page.getByRole("dialog").getByLabel("Name").fill("Shopify to SAP");
  },
  canvas: async (page, url) => {
    await editor(page, url);
    await waitForMetrics(page);
    await page.getByRole("treeitem").filter({ hasText: "Set header" }).click();
    await page.getByRole("group", { name: "Result of Expression" }).waitFor();
  },
  "add-step": async (page, url) => {
    await editor(page, url);
    await button(page, "Add step").click();
    await page.getByRole("option").first().waitFor();
  },
  split: async (page, url) => {
    await editor(page, url, "?view=split");
    await page.locator(".cm-content").waitFor();
    await waitForMetrics(page);
    await page.getByRole("treeitem").filter({ hasText: "Choice" }).first().click();
  },
  versions: async (page, url) => {
    await page.goto(`${url}/flows/invoices-to-archive?view=yaml`);
    await page.locator(".cm-content").waitFor();
    await button(page, "Save").click();
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByRole("button", { name: "Compare" }).first().waitFor();
    await page.getByText("file:archive").click();
    await page.keyboard.press("End");
    await page.keyboard.type("/2026");
    await page.getByRole("button", { name: "Compare" }).first().click();
  },
  "try-it": async (page, url) => {
    await editor(page, url);
    await button(page, "Try it").click();
    await page
      .getByRole("textbox", { name: "Body" })
      .fill(
        '{"id": "A-1", "total": 2500, "customer": {"first": "Ada", "last": "Lovelace"}, "lines": [{"sku": "KB-1", "unit": "box", "qty": 50, "price": 50}]}',
      );
    await page.getByRole("button", { name: "map-order", exact: true }).click();
  },
  tests: async (page, url) => {
    await editor(page, url);
    await button(page, "Run tests").click();
    await page.getByText("1 of 2 passed in the browser").waitFor();
  },
  run: async (page, url) => {
    await page.goto(`${url}/runs`);
    await page.getByRole("row").filter({ hasText: "orders-to-erp" }).filter({ hasText: "completed" }).getByRole("link", { name: /^run_/ }).first().click();
    await page.getByText(/^1 of \d/).waitFor();
    for (let step = 0; step < 4; step++) await page.getByRole("slider", { name: "Step", exact: true }).press("ArrowRight");
  },
  "data-panel": async (page, url) => {
    await screens["try-it"](page, url);
    await page.getByRole("treeitem", { name: /Map message/ }).click();
    await button(page, "Data").click();
    await page.getByRole("tree", { name: "Message data" }).waitFor();
  },
  breakpoint: async (page, url) => {
    await editor(page, url);
    await page.getByRole("treeitem").filter({ hasText: "Set header" }).click();
    await page.keyboard.press("b");
    await button(page, "Watch for a message").click();
    await page.getByText("Message held before").waitFor({ timeout: 40_000 });
    const body = page.getByRole("textbox", { name: "Body of the held message" });
    await body.waitFor();
    await body.fill((await body.inputValue()).replace(/"total": \d+(\.\d+)?/, '"total": 99'));
    // The caret is at the end; the screenshot shows the beginning.
    await page.keyboard.press("Control+Home");
  },
  "all-tests": async (page, url) => {
    await page.goto(`${url}/tests`);
    await button(page, "Run all").click();
    await page.getByText("1 of 2 passed").first().waitFor();
  },
  runs: (page, url) => page.goto(`${url}/runs`).then(() => page.getByRole("table").waitFor()),
  "dead-letters": (page, url) => page.goto(`${url}/dead-letters`).then(() => page.getByRole("table").waitFor()),
  "dead-letter": async (page, url) => {
    await page.goto(`${url}/dead-letters`);
    await page
      .getByRole("button", { name: /^Show message/ })
      .first()
      .click();
    await page.getByRole("dialog").getByText("A-1003").first().waitFor();
  },
  mappings: (page, url) => page.goto(`${url}/mappings`).then(() => page.getByRole("link", { name: "Units of measure" }).waitFor()),
  "value-mapping": (page, url) => page.goto(`${url}/mappings/values/uom`).then(() => page.getByRole("table").first().waitFor()),
  "message-mapping": async (page, url) => {
    await page.goto(`${url}/mappings/messages/order-to-erp`);
    await page.getByText("KAR").first().waitFor();
    await page.getByRole("tree", { name: "Target fields" }).getByRole("treeitem").nth(1).click();
  },
  access: (page, url) => page.goto(`${url}/access`).then(() => page.getByRole("table").waitFor()),
  policy: (page, url) => page.goto(`${url}/flows/orders-to-erp/access`).then(() => page.getByRole("heading").nth(1).waitFor()),
  logs: async (page, url) => {
    await page.goto(`${url}/logs`);
    await page
      .getByText(/(large|small) order of/)
      .nth(1)
      .waitFor();
  },
  settings: (page, url) => page.goto(`${url}/settings`).then(() => page.getByText("Up, engine").waitFor()),
  find: async (page, url) => {
    await page.goto(`${url}/flows`);
    await page.getByRole("link", { name: "Orders to ERP" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Orders to ERP" }).waitFor();
  },
  shortcuts: async (page, url) => {
    await page.goto(`${url}/flows`);
    await page.getByRole("link", { name: "Orders to ERP" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Shortcuts" }).waitFor();
  },
};

/** Screens of a designer with a password. */
export const lockedScreens = {
  "sign-in": (page, url) => page.goto(url).then(() => page.getByLabel("Password").waitFor()),
};
