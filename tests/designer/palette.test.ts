// The list for adding steps: groups, synonyms, recipes, recent entries.
import type { Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findingsOf } from "./axe.ts";
import { hasBrowser, openPage, soon, type OpenPage } from "./browser.ts";
import { kameletFiles } from "../kamelet-files.ts";
import { call, startTestServer } from "../started-server.ts";
import { startTestDesigner, token, webhookFlow, type StartedDesigner } from "./started-designer.ts";

describe.skipIf(!hasBrowser)("the list of steps (needs Chromium)", () => {
  let designer: StartedDesigner;
  let opened: OpenPage;

  beforeEach(async () => {
    designer = await startTestDesigner("http://127.0.0.1:9", { stored: { "flows/orders.yaml": webhookFlow("orders") } });
    opened = await openPage();
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    expect(opened.pageErrors).toEqual([]);
  });

  async function openList(page: Page): Promise<void> {
    await page.getByRole("treeitem", { name: /^Set body/ }).click();
    await page.keyboard.press("a");
    await page.getByRole("option").first().waitFor();
  }
  const search = (page: Page) => page.getByRole("combobox", { name: "Search steps and connectors" });
  const titles = (page: Page): Promise<readonly string[]> =>
    page.getByRole("option").evaluateAll((options) => options.map((option) => option.querySelector(".picker__title")?.textContent?.trim() ?? ""));

  it("is grouped by purpose, finds synonyms and tolerates a typo", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/flows/orders`);
    await openList(page);
    for (const group of ["Recipes", "Send and call", "Change data", "Decide", "Repeat and combine", "Handle errors"])
      await page.getByRole("group", { name: group, exact: true }).first().waitFor();
    expect((await titles(page)).join("\n")).not.toMatch(/^To\b/m);
    for (const [typed, expected] of [
      ["json", /Parse|Write/],
      ["if", /Choice|Only if/],
      ["switch", /Choice/],
      ["retry", /Retry on error/],
      ["queue", /Kafka|AMQP|RabbitMQ|queue/i],
      ["fetch", /HTTP/],
      ["email", /Send an email/],
      ["kafak", /Kafka/],
    ] as const) {
      await search(page).fill(typed);
      await expect.poll(async () => (await titles(page)).slice(0, 3).join(" "), soon).toMatch(expected);
    }
    await search(page).fill("");
    await page.getByRole("button", { name: "Decide", exact: true }).click();
    await expect.poll(() => titles(page), soon).toEqual(expect.arrayContaining([expect.stringContaining("Choice"), expect.stringContaining("Only if")]));
    expect((await titles(page)).join(" ")).not.toContain("Kafka");
    expect(await findingsOf(page)).toEqual([]);
  });

  it("inserts the steps of a recipe as one undo step, and lists recent entries first", async () => {
    const { page } = opened;
    await page.goto(`${designer.url}/flows/orders`);
    await openList(page);
    await search(page).fill("reply with status");
    await page.keyboard.press("Enter");
    await page.getByLabel("Status code").fill("202");
    expect(await findingsOf(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("treeitem", { name: /^Set header CamelHttpResponseCode.*202/ }).waitFor();
    await expect.poll(() => page.getByRole("treeitem").count(), soon).toBe(4);
    await page.keyboard.press("Control+z");
    await expect.poll(() => page.getByRole("treeitem").count(), soon).toBe(2);
    await openList(page);
    await search(page).fill("retry");
    await page.keyboard.press("Enter");
    await page.getByLabel("Number of retries").fill("5");
    await page.getByRole("button", { name: "Insert steps" }).click();
    await page.getByRole("treeitem", { name: /On exception/ }).waitFor();
    await page.keyboard.press("Control+s");
    await expect.poll(() => designer.flowText("orders"), soon).toMatch(/maximumRedeliveries: 5\n +redeliveryDelay: 1000\n/);
    await openList(page);
    expect((await titles(page)).slice(0, 2)).toEqual(["Retry on error, then dead letter", "Reply with status"]);
  });

  it("offers the Kamelets of the runtime with their required parameters", async () => {
    const { page } = opened;
    const server = await startTestServer({ env: { SERVICE_DEPLOY_TOKEN: token } });
    await designer.end();
    designer = await startTestDesigner(server.baseUrl, { stored: { "flows/orders.yaml": webhookFlow("orders") } });
    try {
      const kamelet = kameletFiles["greeter-action.kamelet.yaml"] as string;
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/yaml" };
      expect((await call(server.baseUrl, "PUT", "/_api/kamelets/greeter-action", kamelet, headers)).status).toBe(201);
      await page.goto(`${designer.url}/flows/orders`);
      await openList(page);
      await search(page).fill("greeter");
      await expect.poll(async () => (await titles(page))[0], soon).toBe("Greeter greeter-action");
      await page.keyboard.press("Enter");
      await page.getByRole("treeitem", { name: /greeter-action/ }).waitFor();
      await page.keyboard.press("Control+s");
      await expect.poll(() => designer.flowText("orders"), soon).toMatch(/- kamelet:\n +name: greeter-action\n +parameters:\n +greeting: Hello\n/);
    } finally {
      await server.end();
    }
  });
});
