// The content of the cards of a flow and their rendering at every zoom, in a real browser.
import type { Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findingsOf } from "./axe.ts";
import { drawn, hasBrowser, openPage, soon, type OpenPage } from "./browser.ts";
import { startTestDesigner, type StartedDesigner } from "./started-designer.ts";

const intake = `- route:
    id: intake
    from:
      uri: webhook
      steps:
        - unmarshal: {json: {}}
        - setHeader: {name: orderId, simple: "\${body[id]}"}
        - filter:
            simple: "\${header.orderId} != null"
            steps:
              - to: "http://erp.example/orders?httpMethod=POST"
        - to: {uri: "{{crm.url:https://crm.example}}/customers", parameters: {httpMethod: PUT}}
        - to: {uri: "kafka:orders.new"}
        - to: {uri: sql, parameters: {query: select 1}}
        - to: {uri: "direct:hold", description: Hold the order}
        - wireTap: {uri: "seda:audit"}
        - choice:
            when:
              - simple: "\${body} == 1"
                steps:
                  - log: one
            otherwise:
              steps:
                - log: {message: other, loggingLevel: WARN}
        - multicast:
            timeout: 100
            steps:
              - to: "message-mapping:order-to-erp"
`;

const languages = ["simple", "jsonpath", "jq", "jsonata"] as const;
const data = `- route:
    id: data
    from:
      uri: webhook
      steps:
${languages.map((language) => `        - setHeader: {id: with-${language}, description: With ${language}, name: ${language}, ${language}: ""} # kept\n`).join("")}        - log: {id: greet, message: hello}
`;

describe.skipIf(!hasBrowser)("the drawing of a flow (needs Chromium)", () => {
  let designer: StartedDesigner;
  let opened: OpenPage;

  beforeEach(async () => {
    designer = await startTestDesigner("http://127.0.0.1:9", { stored: { "flows/intake.yaml": intake, "flows/data.yaml": data } });
    opened = await openPage({ viewport: { width: 1440, height: 900 } });
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    expect(opened.pageErrors).toEqual([]);
  });

  const cards = (page: Page): Promise<readonly string[]> =>
    page
      .locator(".card")
      .evaluateAll((all) =>
        all.map((card) => `${card.querySelector(".card__title")?.textContent ?? ""} | ${card.querySelector(".card__subtitle")?.textContent ?? ""}`),
      );

  it("names connectors and describes the effect of each step; no card is titled with its YAML key", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/flows/intake`);
    await expect
      .poll(() => cards(page), soon)
      .toEqual([
        "Webhook | POST /api/intake",
        "Parse JSON | ",
        "Set header orderId | ${body[id]}",
        "Only if | ${header.orderId} != null",
        "erp.example | POST /orders",
        "crm.example | PUT /customers",
        "Kafka | orders.new",
        "SQL | select 1",
        "Hold the order | hold · Route",
        "Copy to | audit · Route, in the background",
        "Choice | First match",
        "Log | one",
        "Log | other",
        "Send to all | in sequence",
        "Map message | order-to-erp",
      ]);
    await page.getByRole("treeitem", { name: /^When/ }).waitFor();
    await page.getByRole("treeitem", { name: /^Otherwise/ }).waitFor();
    expect(await findingsOf(page)).toEqual([]);
  });

  it("keeps titles readable at every zoom, then shows icons only; lines lead into and out of every branch", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/flows/intake`);
    await page.locator(".card").nth(14).waitFor();
    const zoomTo = async (target: number): Promise<void> => {
      const shown = async (): Promise<number> => Number.parseInt(await page.getByRole("button", { name: /^Actual size/ }).innerText(), 10);
      while ((await shown()) > target) await page.getByRole("button", { name: "Zoom out" }).click();
    };
    const smallest = (): Promise<number> =>
      page.locator(".card__title").evaluateAll((titles) => {
        const zoom = Number(getComputedStyle(document.querySelector(".canvas__content") as Element).zoom);
        return Math.min(...titles.map((title) => Number.parseFloat(getComputedStyle(title).fontSize) * zoom));
      });
    await expect.poll(smallest, soon).toBeGreaterThanOrEqual(13);
    const branch = page.locator(".block").first();
    const lines = (): Promise<readonly string[]> =>
      branch.evaluate((element) => ["::before", "::after"].map((end) => getComputedStyle(element, end).backgroundColor));
    expect(await lines()).not.toContain("rgba(0, 0, 0, 0)");
    await zoomTo(41);
    await expect.poll(smallest, soon).toBeGreaterThanOrEqual(11);
    const first = page.locator(".card").first();
    const visibleWidth = (selector: string): Promise<number> => first.locator(selector).evaluate((element) => element.getBoundingClientRect().width);
    await expect.poll(() => visibleWidth(".card__subtitle"), soon).toBeLessThan(2);
    await expect.poll(() => visibleWidth(".card__title"), soon).toBeGreaterThan(40);
    expect(await findingsOf(page)).toEqual([]);
    await zoomTo(25);
    await expect.poll(() => visibleWidth(".card__title"), soon).toBeLessThan(2);
    await expect.poll(() => visibleWidth(".step-icon"), soon).toBeGreaterThan(10);
    await expect.poll(() => page.getByRole("treeitem", { name: /Set header orderId/ }).count(), soon).toBe(1);
  });

  it("draws left to right on request: the same tree with increasing x, arrow keys along it, and the file unchanged", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/flows/intake`);
    await page.locator(".card").nth(14).waitFor();
    const main = (): Promise<readonly { readonly x: number; readonly y: number }[]> =>
      page.locator('.card[aria-level="1"]').evaluateAll((all) =>
        all.map((card) => {
          const { left, top } = (card.closest(".node") ?? card).getBoundingClientRect();
          return { x: left, y: top };
        }),
      );
    const isIncreasing = (values: readonly number[]): boolean => values.every((value, index) => index === 0 || value > (values[index - 1] as number));
    await expect.poll(async () => isIncreasing((await main()).map(({ y }) => y)), soon).toBe(true);
    await page.locator(".card").first().focus();
    await page.keyboard.press("x");
    await page.locator('.canvas[data-direction="right"]').waitFor();
    await expect.poll(async () => isIncreasing((await main()).map(({ x }) => x)), soon).toBe(true);
    const branches = (): Promise<readonly number[]> => page.locator(".block").evaluateAll((all) => all.map((block) => block.getBoundingClientRect().left));
    await expect.poll(async () => (await branches()).slice(1, 3), soon).toSatisfy((lefts: readonly number[]) => lefts.length === 2 && lefts[0] === lefts[1]);
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent), soon).toContain("Parse JSON");
    await page.getByRole("button", { name: /^Fit/ }).click();
    const rightOf = async (selector: string): Promise<number> => {
      const box = await page.locator(selector).last().boundingBox();
      return box === null ? Number.NaN : box.x + box.width;
    };
    await expect.poll(async () => (await rightOf(".card")) <= (await rightOf(".canvas")), soon).toBe(true);
    expect(await findingsOf(page)).toEqual([]);
    await page.reload();
    await page.locator('.canvas[data-direction="right"] .card').first().waitFor();
    const drawnToTheRight = await cards(page);
    expect(drawnToTheRight).toHaveLength(15);
    await page.getByRole("button", { name: "Draw top to bottom" }).click();
    await page.locator('.canvas[data-direction="down"]').waitFor();
    await expect.poll(() => cards(page), soon).toEqual(drawnToTheRight);
    expect(designer.flowText("intake")).toBe(intake);
  });

  it("shows the message beside every expression; its values are dragged or inserted, and completed at every level in every language and in YAML", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/flows/data`);
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await page.getByRole("textbox", { name: "Body" }).fill('{"order":{"total":7,"lines":[{"sku":"KB-1"}]}}');
    const panel = page.getByRole("complementary", { name: "Data" });
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    const field = inspector.getByLabel("Expression", { exact: true });
    const inserted = { simple: "${body.order.total}", jsonpath: "$.order.total", jq: ".order.total", jsonata: "order.total" };
    const typed = { simple: "${body.order.", jsonpath: "$.order.", jq: ".order.", jsonata: "order." };
    for (const language of languages) {
      await page.getByRole("treeitem", { name: new RegExp(`With ${language}`) }).click();
      const total = panel.getByRole("treeitem", { name: /^total/ });
      await total.dragTo(field);
      await expect.poll(() => field.inputValue(), soon).toBe(inserted[language]);
      await field.fill(typed[language].slice(0, -1));
      await page.keyboard.type(".");
      await inspector
        .getByRole("listbox")
        .getByRole("option", { name: /^total number 7/ })
        .waitFor();
      await page.keyboard.press("Enter");
      await expect.poll(() => field.inputValue(), soon).toBe(inserted[language]);
    }
    await page.getByRole("treeitem", { name: /Log/ }).click();
    const message = inspector.getByLabel("Message", { exact: true });
    await message.fill("for ");
    await panel.getByRole("treeitem", { name: /^sku/ }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => message.inputValue(), soon).toBe("for ${body.order.lines[0].sku}");
    expect(await findingsOf(page)).toEqual([]);
    await page.keyboard.press("Control+s");
    await expect.poll(() => designer.flowText("data"), soon).toContain('jsonata: "order.total"} # kept');
    await page.keyboard.press("Alt+3");
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type('        - setBody: {jq: ".order.to');
    await page
      .getByRole("listbox", { name: "Suggestions" })
      .getByRole("option", { name: /^total/ })
      .waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type('"}');
    await page.keyboard.press("Control+s");
    await expect.poll(() => designer.flowText("data"), soon).toContain('- setBody: {jq: ".order.total"}');
    await page.keyboard.press("Escape");
    await page.getByRole("treeitem", { name: /^total/ }).focus();
    await page.getByText("Press Enter or double-click to insert into Source (jq)").waitFor();
  });

  it("shows CSV text as rows, and stores a value in a variable before the step, as one undo step", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/flows/data`);
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    const panel = page.getByRole("complementary", { name: "Data" });
    const sample = page.getByRole("textbox", { name: "Body" });
    await sample.fill("sku,qty\nKB-1,2\nKB-2,3\n");
    await page.getByRole("treeitem", { name: /With simple/ }).click();
    await panel.getByRole("treeitem", { name: /^Body CSV/ }).waitFor();
    await panel.getByRole("treeitem", { name: /^sku "KB-1"/ }).waitFor();
    await sample.fill('{"order":{"total":7}}');
    const total = panel.getByRole("treeitem", { name: /^total/ });
    await total.focus();
    await page.keyboard.press(".");
    expect(await findingsOf(page)).toEqual([]);
    await page.getByRole("menuitem", { name: "Extract to variable" }).click();
    await page.getByRole("treeitem", { name: /Set variable total/ }).waitFor();
    await page.keyboard.press("Control+s");
    await expect
      .poll(() => designer.flowText("data"), soon)
      .toMatch(/- setVariable:\n +(?:id: .*\n +)?name: "?total"?\n +simple: "\$\{body\.order\.total\}"\n/);
    await page.keyboard.press("Control+z");
    await expect.poll(() => page.getByRole("treeitem", { name: /Set variable total/ }).count(), soon).toBe(0);
  });

  it("no control covers a card at any scroll position, and the page itself does not scroll", async () => {
    const { page } = opened;
    const log = (id: string): string => `log: {id: "${id}", message: "line ${id}"}`;
    const route = (id: string, steps: string): string => `- route:\n    id: ${id}\n    from:\n      uri: webhook\n      steps:\n${steps}`;
    const long = Array.from({ length: 40 }, (_, index) => `        - ${log(`log-${index}`)}\n`).join("");
    const branch = (index: number): string =>
      `              - {simple: "\${body} == ${index}", steps: [{${log(`log-${index}`)}}, {${log(`more-${index}`)}}]}\n`;
    designer.writeFlow("long", route("long", long));
    designer.writeFlow("wide", route("wide", `        - choice:\n            when:\n${Array.from({ length: 12 }, (_, index) => branch(index)).join("")}`));
    // On a small window the controls are closest to the cards.
    await page.setViewportSize({ width: 1024, height: 600 });
    for (const flow of ["long", "wide"]) {
      await page.goto(`${designer.url}/flows/${flow}`);
      await page.getByRole("treeitem").nth(1).click();
      for (let part = 0; part <= 5; part++) expect(await coveredCards(page, part / 5), `${flow}, ${part} of 5`).toEqual([]);
      for (const tab of await page.getByRole("tab").all()) {
        await tab.click();
        await drawn(page);
        const { scrollWidth, clientWidth, scrollHeight, clientHeight } = await page.evaluate(() => {
          const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement;
          return { scrollWidth, clientWidth, scrollHeight, clientHeight };
        });
        expect([scrollWidth, scrollHeight], `${flow}, ${await tab.innerText()}`).toEqual([clientWidth, clientHeight]);
      }
    }
  });

  it("on a phone, tapping a card opens its options over the canvas, and the message at the step", async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${designer.url}/flows/data`);
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    const card = page.getByRole("treeitem", { name: /Log/ });
    await card.waitFor();
    await expect.poll(() => inspector.count(), soon).toBe(0);
    await card.click();
    const message = inspector.getByLabel("Message", { exact: true });
    await message.fill("changed on a phone");
    await expect.poll(async () => (await inspector.boundingBox())?.width, soon).toBe(390);
    const overlap = async (): Promise<number> => {
      const [above, below] = [await card.boundingBox(), await inspector.boundingBox()];
      return (above?.y ?? Number.NaN) + (above?.height ?? 0) - (below?.y ?? Number.NaN);
    };
    await expect.poll(overlap, soon).toBeLessThanOrEqual(1);
    const sheet = await inspector.boundingBox();
    await inspector.getByRole("tab", { name: "Data" }).click();
    await inspector.getByRole("tree", { name: "Message data" }).waitFor();
    await page.getByRole("separator", { name: "Resize the inspector" }).focus();
    await page.keyboard.press("Shift+ArrowUp");
    await expect.poll(async () => (await inspector.boundingBox())?.height, soon).toBeGreaterThan(sheet?.height ?? 0);
    expect(await findingsOf(page)).toEqual([]);
    await inspector.getByRole("button", { name: "Hide the inspector" }).click();
    await expect.poll(() => inspector.count(), soon).toBe(0);
    await page.getByRole("button", { name: /^Fit/ }).click();
    const [canvas, trigger] = [page.locator(".canvas"), page.locator(".card[data-kind=trigger]")];
    const isInView = async (): Promise<boolean> => {
      const [canvasBox, triggerBox] = [await canvas.boundingBox(), await trigger.boundingBox()];
      return canvasBox !== null && triggerBox !== null && triggerBox.y >= canvasBox.y && triggerBox.y + triggerBox.height <= canvasBox.y + canvasBox.height;
    };
    await expect.poll(isInView, soon).toBe(true);
    await page.keyboard.press("Control+s");
    await expect.poll(() => designer.flowText("data"), soon).toContain("message: changed on a phone");
  });
});

/** The cards below a control, with the class of the control, when the canvas is scrolled by this share of its size in both directions. */
async function coveredCards(page: Page, share: number): Promise<readonly string[]> {
  await page
    .locator(".canvas")
    .evaluate(
      (canvas, part) => canvas.scrollTo({ top: (canvas.scrollHeight - canvas.clientHeight) * part, left: (canvas.scrollWidth - canvas.clientWidth) * part }),
      share,
    );
  await drawn(page);
  return page.evaluate(() => {
    const canvas = document.querySelector(".canvas")?.getBoundingClientRect();
    if (canvas === undefined) return ["no canvas"];
    return [...document.querySelectorAll<HTMLElement>(".canvas .card")].flatMap((card) => {
      const { left, right, top, bottom } = card.getBoundingClientRect();
      return [
        [left + 12, top + 8],
        [right - 12, top + 8],
        [(left + right) / 2, (top + bottom) / 2],
        [right - 12, bottom - 8],
      ].flatMap(([x = 0, y = 0]) => {
        if (x < canvas.left || x > canvas.right - 16 || y < canvas.top || y > canvas.bottom - 16) return [];
        const topmost = document.elementFromPoint(x, y);
        return topmost === null || card.contains(topmost) ? [] : [`${card.dataset["key"]} by ${topmost.className}`];
      });
    });
  });
}
