// The content of the cards of a flow and their rendering at every zoom, in a real browser.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findingsOf } from "./axe.ts";
import { hasBrowser, openBrowser, openPage, soon, type OpenPage } from "./browser.ts";
import { startTestDesigner, type StartedDesigner } from "./started-designer.ts";

const spoken = `- route:
    id: spoken
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

describe.skipIf(!hasBrowser)("the drawing of a flow (needs Chromium)", { timeout: 120_000 }, () => {
  let browser: Browser;
  let designer: StartedDesigner;
  let open: OpenPage;

  beforeAll(async () => {
    browser = await openBrowser();
  }, 240_000);
  afterAll(() => browser?.close());
  beforeEach(async () => {
    designer = await startTestDesigner("http://127.0.0.1:9", { stored: { "flows/spoken.yaml": spoken } });
    open = await openPage(browser, { bypassCSP: true, viewport: { width: 1440, height: 900 } });
  });
  afterEach(async () => {
    expect(open.faults).toEqual([]);
    await open.context.close();
    await designer.end();
  });

  const cards = (page: Page): Promise<readonly string[]> =>
    page
      .locator(".card")
      .evaluateAll((all) =>
        all.map((card) => `${card.querySelector(".card__title")?.textContent ?? ""} | ${card.querySelector(".card__subtitle")?.textContent ?? ""}`),
      );

  it("names connectors and describes the effect of each step; no card is titled with its YAML key", async () => {
    const { page } = open;
    await page.goto(`${designer.url}/flows/spoken`);
    await expect
      .poll(() => cards(page), soon)
      .toEqual([
        "Webhook | POST /api/spoken",
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
        "Send to all | one after the other",
        "Map message | order-to-erp",
      ]);
    await page.getByRole("treeitem", { name: /^When/ }).waitFor();
    await page.getByRole("treeitem", { name: /^Otherwise/ }).waitFor();
    expect(await findingsOf(page)).toEqual([]);
  });

  it("keeps titles readable at every zoom, then shows icons only; lines lead into and out of every branch", async () => {
    const { page } = open;
    await page.goto(`${designer.url}/flows/spoken`);
    await page.locator(".card").nth(14).waitFor();
    const zoomTo = async (wanted: number): Promise<void> => {
      const shown = async (): Promise<number> => Number.parseInt(await page.getByRole("button", { name: /^Actual size/ }).innerText(), 10);
      while ((await shown()) > wanted) await page.getByRole("button", { name: "Zoom out" }).click();
    };
    const sizes = (): Promise<readonly number[]> =>
      page.locator(".card__title").evaluateAll((titles) =>
        titles.map((title) => {
          const zoom = Number(getComputedStyle(document.querySelector(".canvas__content") as Element).zoom);
          return Number.parseFloat(getComputedStyle(title).fontSize) * zoom;
        }),
      );
    expect(Math.min(...(await sizes()))).toBeGreaterThanOrEqual(13);
    const branch = page.locator(".block").first();
    const lines = (): Promise<readonly string[]> =>
      branch.evaluate((element) => ["::before", "::after"].map((end) => getComputedStyle(element, end).backgroundColor));
    expect(await lines()).not.toContain("rgba(0, 0, 0, 0)");
    await zoomTo(41);
    expect(Math.min(...(await sizes()))).toBeGreaterThanOrEqual(11);
    const first = page.locator(".card").first();
    const visibleWidth = (selector: string): Promise<number> => first.locator(selector).evaluate((element) => element.getBoundingClientRect().width);
    expect(await visibleWidth(".card__subtitle")).toBeLessThan(2);
    expect(await visibleWidth(".card__title")).toBeGreaterThan(40);
    expect(await findingsOf(page)).toEqual([]);
    await zoomTo(25);
    expect(await visibleWidth(".card__title")).toBeLessThan(2);
    expect(await visibleWidth(".step-icon")).toBeGreaterThan(10);
    expect(await page.getByRole("treeitem", { name: /Set header orderId/ }).count()).toBe(1);
  });
});
