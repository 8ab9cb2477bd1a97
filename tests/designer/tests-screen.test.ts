// The screen with the tests of all flows, and navigation with the command palette, in a real browser.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hasBrowser, openPage, soon, type OpenPage } from "./browser.ts";
import { startTestDesigner, type StartedDesigner } from "./started-designer.ts";
import { findingsOf } from "./axe.ts";

const flow = (id: string, name: string, answer: string): string =>
  `- route: {id: ${id}, description: ${name}, from: {uri: webhook, steps: [{setBody: {id: reply, constant: ${answer}}}]}}\n`;
const test = (id: string, expected: string): string =>
  `flowId: ${id}\ntests:\n  - {name: says ${expected}, when: {webhook: ${id}}, then: [{reply: {status: 200, bodyEquals: ${expected}}}]}\n`;

describe.skipIf(!hasBrowser)("the tests of all flows (needs Chromium)", () => {
  let designer: StartedDesigner;
  let opened: OpenPage;
  const writeTest = (id: string, name: string, text: string): void => {
    mkdirSync(join(designer.workspace, "tests", id), { recursive: true });
    writeFileSync(join(designer.workspace, "tests", id, `${name}.test.yaml`), text);
  };

  beforeEach(async () => {
    // No runtime is available: these tests need none.
    designer = await startTestDesigner("http://127.0.0.1:9");
    opened = await openPage();
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    expect(opened.pageErrors).toEqual([]);
  });

  it("explains the empty state", async () => {
    await opened.page.goto(`${designer.url}/tests`);
    await opened.page.getByText("No tests yet").waitFor();
    await expect.poll(() => opened.page.getByRole("button", { name: "Run all" }).count(), soon).toBe(0);
  });

  it("run together or by flow, by keyboard, and show the first difference; the files on disk are tested", async () => {
    const { page } = opened;
    designer.writeFlow("greets", flow("greets", "Greets people", "hello"));
    designer.writeFlow("parts", flow("parts", "Parts from people", "bye"));
    designer.writeFlow("untested", flow("untested", "Untested", "x"));
    writeTest("greets", "good", test("greets", "hello"));
    writeTest("parts", "wrong", test("parts", "farewell"));
    writeTest("parts", "unreadable", "flowId: parts\ntests: [{nmae: x}]\n");
    await page.goto(`${designer.url}/tests`);
    const suite = (name: string) => page.getByRole("region", { name: `Tests of ${name}` }).first();
    await suite("Greets people").getByText("good.test.yaml").waitFor();
    await expect.poll(() => page.getByRole("heading", { level: 2 }).allInnerTexts(), soon).toEqual(["Greets people", "Parts from people"]);
    await page.getByRole("button", { name: "Run all" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("1 of 3 passed", { exact: true }).waitFor();
    await suite("Greets people").getByText("1 of 1 passed").waitFor();
    await suite("Parts from people").getByText("0 of 2 passed").waitFor();
    const different = suite("Parts from people").getByRole("row").filter({ hasText: "says farewell" });
    await expect.poll(() => different.innerText(), soon).toMatch(/farewell.*bye|bye.*farewell/s);
    await expect
      .poll(() => suite("Parts from people").getByRole("row").filter({ hasText: "unreadable.test.yaml" }).innerText(), soon)
      .toContain("line 2, column 9");
    expect(await findingsOf(page)).toEqual([]);

    designer.writeFlow("parts", flow("parts", "Parts from people", "farewell"));
    await page.getByRole("button", { name: "Run the tests of Parts from people" }).click();
    await suite("Parts from people").getByText("1 of 2 passed").waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth), soon).toBeLessThanOrEqual(390);
    await page.getByRole("link", { name: "Greets people" }).click();
    await page.getByRole("tree").waitFor();
    expect(new URL(page.url()).pathname).toBe("/flows/greets");
  });

  it("screens can be reached from the palette, and a flow's policy also from its editor", async () => {
    const { page } = opened;
    designer.writeFlow("greets", flow("greets", "Greets people", "hello"));
    await page.goto(`${designer.url}/flows/greets`);
    await page.getByRole("tree").waitFor();
    const go = async (words: string): Promise<string> => {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("combobox").fill(words);
      await page.getByRole("dialog").getByRole("option").first().waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      return new URL(page.url()).pathname;
    };
    expect(await go("Access policy of this flow")).toBe("/flows/greets/access");
    expect(await go("Go to Tests")).toBe("/tests");
    expect(await go("Go to Dead letters")).toBe("/dead-letters");
    expect(await go("Go to Mappings")).toBe("/mappings");
    expect(await go("Go to Access")).toBe("/access");
    await page.goto(`${designer.url}/flows/greets`);
    await page.getByRole("link", { name: "Access policy of this flow" }).click();
    await expect.poll(() => new URL(page.url()).pathname, soon).toBe("/flows/greets/access");
  });

  it("the palette scrolls to the active entry", async () => {
    const { page } = opened;
    for (let index = 0; index < 40; index++) designer.writeFlow(`flow-${index}`, flow(`flow-${index}`, `Flow ${index}`, "hello"));
    await page.goto(`${designer.url}/flows`);
    await page.getByRole("link", { name: "Flow 39" }).waitFor();
    await page.keyboard.press("Control+k");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("option").nth(20).waitFor();
    await page.keyboard.press("ArrowUp");
    const selected = dialog.getByRole("option", { selected: true });
    const isInside = (): Promise<boolean> =>
      selected.evaluate((item) => {
        const [itemBox, listBox] = [item.getBoundingClientRect(), (item.parentElement as Element).getBoundingClientRect()];
        return itemBox.top >= listBox.top - 1 && itemBox.bottom <= listBox.bottom + 1;
      });
    const last = await dialog.getByRole("option").last().getAttribute("id");
    await expect.poll(() => selected.getAttribute("id"), soon).toBe(last);
    await expect.poll(isInside, soon).toBe(true);
  });
});
