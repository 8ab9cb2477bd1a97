// The keys of menus and trees, which are the same everywhere: the canvas, the tree of a message and the fields of a mapping.
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasBrowser, openPage, soon, type OpenPage } from "./browser.ts";
import { shopOrder } from "./mapper-sample.ts";
import { startTestDesigner, type StartedDesigner } from "./started-designer.ts";

const flow = `- route:
    id: orders
    from:
      uri: webhook
      steps:
        - log: {id: first, message: first}
        - filter:
            id: only
            simple: "\${body} != null"
            steps:
              - log: {id: inner, message: inner}
        - log: {id: last, message: last}
`;
const mapping = {
  name: "Order",
  source: { format: "json", sample: shopOrder },
  target: { format: "json", sample: { Number: "1", Ship: { City: "x" } } },
  map: [],
};

describe.skipIf(!hasBrowser)("the keyboard (needs Chromium)", () => {
  let designer: StartedDesigner;
  let opened: OpenPage;
  let page: Page;

  beforeAll(async () => {
    // No runtime is needed.
    const stored = { "flows/orders.yaml": flow, "message-mappings/order.yaml": `${JSON.stringify(mapping)}\n` };
    designer = await startTestDesigner("http://127.0.0.1:9", { stored });
  });
  afterAll(async () => {
    await designer?.end();
  });
  beforeEach(async () => {
    opened = await openPage({ viewport: { width: 1440, height: 900 } });
    page = opened.page;
  });
  afterEach(async () => {
    await opened.close();
    expect(opened.pageErrors).toEqual([]);
  });

  const openFlow = async (): Promise<void> => {
    await page.goto(`${designer.url}/flows/orders`);
    await page.getByRole("treeitem", { name: /^Log .*last$/ }).waitFor();
  };
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const focusedText = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? "");
  const focusReaches = (text: RegExp): Promise<void> => expect.poll(focusedText, soon).toMatch(text);
  const isFocused = (element: Locator): Promise<boolean> => element.evaluate((node) => node === document.activeElement);

  describe("of a menu", () => {
    const items = (): Locator => page.getByRole("menuitem");

    it("moves by arrows, ends and the beginning of a title, and Escape returns to the step", async () => {
      await openFlow();
      const step = page.getByRole("treeitem", { name: /^Log .*first$/ });
      await step.focus();
      await press("Shift+F10");
      await focusReaches(/^Add step/);
      await press("ArrowDown", "End");
      await focusReaches(/^Disable or enable step/);
      await press("ArrowDown");
      await focusReaches(/^Add step/);
      for (const title of [/^Delete step/, /^Duplicate step/, /^Disable or enable step/, /^Delete step/]) {
        await press("d");
        await focusReaches(title);
      }
      await press("Escape");
      await items().first().waitFor({ state: "detached" });
      await expect.poll(() => isFocused(step), soon).toBe(true);
    });

    it("stays inside the window wherever it is opened, above everything else, and closes at a press outside", async () => {
      await openFlow();
      await page.setViewportSize({ width: 900, height: 400 });
      for (const name of [/^Log .*first$/, /^Log .*last$/]) {
        const step = page.getByRole("treeitem", { name });
        await step.scrollIntoViewIfNeeded();
        await step.click({ button: "right" });
        const box = (await page.getByRole("menu").boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
        expect([box.x >= 0, box.y >= 0, box.x + box.width <= 900, box.y + box.height <= 400, box.height > 0]).toEqual([true, true, true, true, true]);
        // Nothing covers it.
        const isOnTop = await page.getByRole("menu").evaluate((menu, { x, y, width }) => menu.contains(document.elementFromPoint(x + width / 2, y + 12)), box);
        expect(isOnTop).toBe(true);
        await page.mouse.click(box.x > 450 ? 4 : 896, 4);
        await page.getByRole("menu").waitFor({ state: "detached" });
      }
    });
  });

  it("goes through the steps of a flow, opens and closes a step, and is turned with the drawing", async () => {
    await openFlow();
    await page.getByRole("treeitem", { name: /^Log .*first$/ }).focus();
    await press("ArrowDown");
    await focusReaches(/^Only if/);
    await press("ArrowRight");
    await focusReaches(/^Log.*inner$/);
    await press("ArrowLeft");
    await focusReaches(/^Only if/);
    await press("ArrowLeft");
    const filter = page.getByRole("treeitem", { name: /^Only if/ });
    await expect.poll(() => filter.getAttribute("aria-expanded"), soon).toBe("false");
    await press("ArrowRight");
    await expect.poll(() => filter.getAttribute("aria-expanded"), soon).toBe("true");
    await press("Home");
    await focusReaches(/^Webhook/);
    await press("End");
    await focusReaches(/^Log.*last$/);
    await page.getByRole("button", { name: "Draw left to right" }).click();
    await page.getByRole("treeitem", { name: /^Log .*first$/ }).focus();
    await press("ArrowRight");
    await focusReaches(/^Only if/);
    await press("ArrowDown");
    await focusReaches(/^Log.*inner$/);
  });

  it("goes through the tree of a message, also by the beginning of a name", async () => {
    await openFlow();
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await page.getByRole("textbox", { name: "Body" }).fill('{"order":{"total":7,"lines":[{"sku":"KB-1"}]},"note":"x"}');
    await page.getByRole("treeitem", { name: /^Log .*first/ }).click();
    // The simulation of the flow replaces the tree, and adds the message to the text of the step.
    await page.getByText("reply 200").waitFor();
    const tree = page.getByRole("complementary", { name: "Data" }).getByRole("tree");
    const item = (name: RegExp): Locator => tree.getByRole("treeitem", { name });
    await item(/^order/).focus();
    await press("l");
    await focusReaches(/^lines/);
    await press("ArrowLeft");
    await expect.poll(() => item(/^lines/).getAttribute("aria-expanded"), soon).toBe("false");
    await press("ArrowRight");
    await expect.poll(() => item(/^lines/).getAttribute("aria-expanded"), soon).toBe("true");
    await press("ArrowRight");
    await focusReaches(/^Item 1/);
    // Closes the item, goes to the list, closes the list and goes to its owner.
    await press("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft");
    await focusReaches(/^order/);
    await press("ArrowUp");
    await focusReaches(/^Body/);
  });

  it("goes through the fields of a mapping, from a member to its group", async () => {
    await page.goto(`${designer.url}/mappings/messages/order`);
    const source = page.getByRole("tree", { name: "Source fields" });
    await source.locator('[data-path="id"]').focus();
    await press("End", "Home", "ArrowUp", "ArrowDown");
    await focusReaches(/^placedAt/);
    await press("ArrowDown");
    await focusReaches(/^customer/);
    await press("ArrowRight");
    await focusReaches(/^first/);
    await press("ArrowDown", "ArrowLeft");
    await focusReaches(/^customer/);
    const target = page.getByRole("tree", { name: "Target fields" });
    await target.getByRole("treeitem").first().focus();
    await press("End", "ArrowLeft");
    await focusReaches(/^Ship/);
  });
});
