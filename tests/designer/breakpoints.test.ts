// Breakpoints on a live route, in a real browser against a real runtime.
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, startTestServer, token, type ApiReply, type StartedServer } from "../started-server.ts";
import { findingsOf } from "./axe.ts";
import { hasBrowser, openPage, soon, type OpenPage } from "./browser.ts";
import { startTestDesigner, type StartedDesigner } from "./started-designer.ts";

const orders = (id: string): string => `- route:
    id: ${id}
    from:
      uri: platform-http:/api/${id}
      steps:
        - unmarshal: {json: {}}
        - setHeader: {id: note, name: X-Order, simple: "\${body[order]}"}
        - marshal: {id: write, json: {}}
`;

describe.skipIf(!hasBrowser)("breakpoints (needs Chromium)", () => {
  let server: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;

  beforeAll(async () => {
    server = await startTestServer({ env: { SERVICE_BREAKPOINTS: "true" } });
  });
  afterAll(() => server?.end());
  beforeEach(async () => {
    designer = await startTestDesigner(server.baseUrl, { environment: { SLUICE_TEST_TOKEN: token } });
    opened = await openPage({ viewport: { width: 1440, height: 900 } });
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    expect(opened.pageErrors).toEqual([]);
  });

  const card = (page: Page, index: number): Locator => page.locator(`.card[data-key="0/route/from/steps/${index}"]`);
  const bar = (page: Page): Locator => page.getByRole("region", { name: "Breakpoints" });
  const post = (id: string, order: string): Promise<ApiReply> => call(server.baseUrl, "POST", `/api/${id}`, JSON.stringify({ order, lines: [1] }));

  async function openFlow(id: string): Promise<Page> {
    const { page } = opened;
    designer.writeFlow(id, orders(id));
    await server.putFlow(id, orders(id));
    await page.goto(`${designer.url}/flows/${id}`);
    await card(page, 1).waitFor();
    return page;
  }

  it("hold one message while others pass; the message continues with the changed body", async () => {
    const page = await openFlow("held");
    await card(page, 1).click();
    await page.keyboard.press("b");
    await bar(page).getByRole("button", { name: "Watch for a message" }).click();
    await bar(page).getByText("Waiting for a message at 1 breakpoint").waitFor();

    const held = post("held", "A-1");
    await bar(page).getByText("Message held before note").waitFor();
    await expect.poll(() => card(page, 1).innerText(), soon).toContain("Held");
    expect((await post("held", "A-2")).text).toBe('{"order":"A-2","lines":[1]}');

    const body = page.getByRole("textbox", { name: "Body of the held message" });
    await expect.poll(() => body.inputValue(), soon).toContain('"order": "A-1"');
    await body.fill('{"order": ');
    expect(
      await bar(page)
        .getByRole("button", { name: /^Continue/ })
        .isDisabled(),
    ).toBe(true);
    await body.fill('{"order": "A-9", "lines": [1]}');
    expect(await findingsOf(page)).toEqual([]);
    await bar(page).getByRole("button", { name: "Continue with changed order" }).click();
    const reply = await held;
    expect([reply.text, reply.headers.get("x-order")]).toEqual(['{"order":"A-9","lines":[1]}', "A-9"]);
    await bar(page).getByText("the run ended").waitFor();
    // Stored in this browser, not in the file.
    expect(designer.flowText("held")).toBe(orders("held"));
    await page.reload();
    await bar(page).getByText("1 breakpoint").waitFor();
  });

  it("can be set with the mouse on a step without an id, which gets one; Step moves to the next step, and Stop ends the message", async () => {
    const page = await openFlow("stepped");
    await card(page, 0).hover();
    await card(page, 0)
      .locator(".card__breakpoint")
      .click({ position: { x: 5, y: 30 } });
    await page.getByText("Added id 'unmarshal' to this step, so that the breakpoint can refer to it.").first().waitFor();
    await page.keyboard.press("Control+s");
    await expect.poll(() => designer.flowText("stepped"), soon).toContain("id: unmarshal");
    await server.putFlow("stepped", designer.flowText("stepped"));
    await bar(page).getByRole("button", { name: "Watch for a message" }).click();
    await bar(page).getByText("Waiting for").waitFor();
    const held = post("stepped", "B-1");
    await bar(page).getByText("Message held before unmarshal").waitFor();
    await bar(page).getByRole("button", { name: "Step", exact: true }).click();
    await bar(page).getByText("Message held before note").waitFor();
    await expect.poll(() => card(page, 1).getAttribute("aria-selected"), soon).toBe("true");
    await bar(page).getByRole("button", { name: "Stop this message" }).click();
    expect((await held).status).toBe(503);
  });

  it("show why a target rejects them", async () => {
    const { page } = opened;
    const plain = await startTestServer();
    await designer.end();
    designer = await startTestDesigner(plain.baseUrl, { environment: { SLUICE_TEST_TOKEN: token } });
    try {
      designer.writeFlow("refused", orders("refused"));
      await plain.putFlow("refused", orders("refused"));
      await page.goto(`${designer.url}/flows/refused`);
      await card(page, 1).click();
      await page.keyboard.press("b");
      await bar(page).getByRole("button", { name: "Watch for a message" }).click();
      await bar(page).getByText("breakpoints are disabled on this runtime: start it with SERVICE_BREAKPOINTS=true").waitFor();
      expect(await findingsOf(page)).toEqual([]);
    } finally {
      await plain.end();
    }
  });
});
