// The panels of the editor, its outline, and the view of large flows, in a real browser without a runtime.
import type { Locator, Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findingsOf } from "./axe.ts";
import { hasBrowser, openPage, soon, type OpenPage } from "./browser.ts";
import { startTestDesigner, webhookFlow, type StartedDesigner } from "./started-designer.ts";

describe.skipIf(!hasBrowser)("panels and large flows (needs Chromium)", () => {
  let designer: StartedDesigner;
  let opened: OpenPage;

  beforeEach(async () => {
    designer = await startTestDesigner("http://127.0.0.1:9");
    opened = await openPage({ viewport: { width: 1440, height: 900 } });
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    expect(opened.pageErrors).toEqual([]);
  });

  const boxOf = async (card: Locator): Promise<{ x: number; y: number; width: number; height: number }> =>
    (await card.boundingBox()) as { x: number; y: number; width: number; height: number };
  const card = (page: Page, id: string): Locator => page.locator(`.card[data-key="${id}"]`);
  const key = "0/route/from/steps";

  it("a wide flow opens with its trigger in view, and Fit shows all of it, even with 60 steps in a row", async () => {
    const { page } = opened;
    const branches = Array.from(
      { length: 14 },
      (_, index) => `                - simple: "\${body} == ${index}"\n                  steps:\n                    - log: "branch ${index}"\n`,
    );
    designer.writeFlow(
      "wide",
      `- route:\n    id: wide\n    from:\n      uri: platform-http:/api/wide\n      steps:\n        - choice:\n            when:\n${branches.join("")}`,
    );
    await page.goto(`${designer.url}/flows/wide`);
    const canvas = page.locator(".canvas");
    const isInside = async (inner: Locator): Promise<boolean> => {
      const [inside, outside] = [await boxOf(inner), await boxOf(canvas)];
      return (
        inside.x >= outside.x &&
        inside.x + inside.width <= outside.x + outside.width &&
        inside.y >= outside.y &&
        inside.y + inside.height <= outside.y + outside.height
      );
    };
    const trigger = page.locator(".card[data-kind=trigger]");
    await trigger.waitFor();
    await expect.poll(() => isInside(trigger), soon).toBe(true);
    const last = card(page, `${key}/0/choice/when/13/steps/0`);
    expect(await isInside(last)).toBe(false);
    await page.getByRole("button", { name: /^Fit/ }).click();
    await expect.poll(() => isInside(last), soon).toBe(true);
    await expect.poll(() => isInside(trigger), soon).toBe(true);
    const steps = Array.from({ length: 60 }, (_, index) => `        - log: "number ${index}"\n`).join("");
    designer.writeFlow("sixty", `- route:\n    id: sixty\n    from:\n      uri: platform-http:/api/sixty\n      steps:\n${steps}`);
    await page.goto(`${designer.url}/flows/sixty`);
    await trigger.waitFor();
    await expect.poll(() => isInside(trigger), soon).toBe(true);
    await page.getByRole("button", { name: /^Fit/ }).click();
    await expect.poll(() => isInside(card(page, `${key}/59`)), soon).toBe(true);
    await expect.poll(() => isInside(trigger), soon).toBe(true);
    await expect.poll(() => page.locator(".card").count(), soon).toBe(61);
  });

  it("inspector and dock are collapsed, and a reload keeps them so", async () => {
    const { page } = opened;
    designer.writeFlow("panels", webhookFlow("panels"));
    await page.goto(`${designer.url}/flows/panels`);
    await page.getByRole("tree").waitFor();
    await expect.poll(() => page.getByRole("tabpanel").count(), soon).toBe(0);
    const problems = page.getByRole("tab", { name: /^Problems/ });
    await problems.click();
    const panel = page.getByRole("tabpanel", { name: /^Problems/ });
    await panel.waitFor();
    await problems.click();
    await expect.poll(() => panel.count(), soon).toBe(0);
    await page.locator(".card").first().focus();
    await page.keyboard.press("Shift+P");
    await panel.waitFor();
    const width = async (): Promise<number> => (await boxOf(page.locator(".editor__inspector"))).width;
    const height = async (): Promise<number> => (await boxOf(page.locator(".dock"))).height;
    const [shownWidth, shownHeight] = [await width(), await height()];
    await page.getByRole("button", { name: "Hide the inspector" }).click();
    await page.getByRole("button", { name: "Hide the dock" }).click();
    await expect.poll(width, soon).toBeLessThan(50);
    await expect.poll(height, soon).toBeLessThan(50);
    expect(await findingsOf(page)).toEqual([]);
    await page.reload();
    await page.getByRole("button", { name: "Show the inspector" }).click();
    await expect.poll(width, soon).toBe(shownWidth);
    await page.getByRole("tab", { name: "Versions" }).click();
    await expect.poll(height, soon).toBe(shownHeight);
  });

  it("panels are resized by mouse and keys, closed and opened by their shortcuts, and keep their sizes after a reload", async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 1680, height: 1000 });
    designer.writeFlow("panels", webhookFlow("panels"));
    await page.goto(`${designer.url}/flows/panels`);
    const step = page.getByRole("treeitem", { name: /^Set body/ });
    const separator = ({ name }: Panel): Locator => page.getByRole("separator", { name: `Resize the ${name}` });
    const size = async ({ selector, axis }: Panel): Promise<number> => Math.round((await boxOf(page.locator(selector)))[axis === "x" ? "width" : "height"]);
    const press = async ({ shortcut }: Panel): Promise<void> => {
      await step.focus();
      await page.keyboard.press(shortcut);
    };
    await step.click();
    for (const panel of panels) {
      if ((await separator(panel).count()) === 0) await press(panel);
      await separator(panel).waitFor();
    }
    const sizes = new Map<Panel, number>();
    for (const panel of panels) {
      const before = await size(panel);
      const border = await boxOf(separator(panel));
      const [x, y] = [border.x + Math.min(border.width / 2, 200), border.y + Math.min(border.height / 2, 200)];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(panel.axis === "x" ? x + panel.distance : x, panel.axis === "y" ? y + panel.distance : y, { steps: 4 });
      await page.mouse.up();
      await expect.poll(() => size(panel), soon).toBe(before + 40);
      await separator(panel).focus();
      await page.keyboard.press(panel.growKey);
      await expect.poll(() => size(panel), soon).toBe(before + 56);
      sizes.set(panel, before + 56);
    }
    await page.reload();
    for (const panel of panels) {
      await separator(panel).waitFor();
      await expect.poll(() => size(panel), { ...soon, message: panel.name }).toBe(sizes.get(panel));
    }
    for (const panel of panels) {
      await press(panel);
      await expect.poll(() => separator(panel).count(), soon).toBe(0);
    }
    await page.reload();
    await step.click();
    for (const panel of panels) {
      await expect.poll(() => separator(panel).count(), { ...soon, message: panel.name }).toBe(0);
      await press(panel);
      await expect.poll(() => size(panel), soon).toBe(sizes.get(panel));
    }
  });

  it("the outline lists and filters steps and keeps its size; the overview map moves the view of a large flow and does not cover the selected card", async () => {
    const { page } = opened;
    const steps = Array.from({ length: 40 }, (_, index) => `        - log: "number ${index}"\n`).join("");
    designer.writeFlow(
      "large",
      `- route:\n    id: large\n    from:\n      uri: platform-http:/api/large\n      steps:\n${steps}        - setHeader: {name: last, constant: x}\n`,
    );
    await page.goto(`${designer.url}/flows/large`);
    await page.getByRole("tree").waitFor();
    const map = page.locator(".overview-map");
    await map.waitFor();
    const scrolled = (): Promise<number> => page.locator(".canvas").evaluate((canvas) => canvas.scrollTop);
    const box = await boxOf(map);
    await page.mouse.click(box.x + box.width / 2, box.y + box.height - 4);
    await expect.poll(scrolled, soon).toBeGreaterThan(1000);
    await page.locator(".canvas").evaluate((canvas) => canvas.scrollTo({ top: 0 }));
    const middle = page.locator(".card").nth(4);
    await page.setViewportSize({ width: 820, height: 900 });
    await page.locator(".canvas").evaluate((canvas) => canvas.scrollTo({ top: 250 }));
    await middle.focus();
    await page.locator(".canvas").evaluate((canvas) => {
      const card = canvas.querySelector('[aria-selected="true"]') as HTMLElement;
      canvas.scrollTop += card.getBoundingClientRect().bottom - canvas.getBoundingClientRect().bottom + 20;
    });
    await expect.poll(() => map.count(), soon).toBe(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.locator(".canvas").evaluate((canvas) => canvas.scrollTo({ top: 0 }));
    await page.getByRole("button", { name: "Outline", exact: true }).click();
    const outline = page.getByRole("navigation", { name: "Outline" });
    await expect.poll(() => outline.getByRole("button").count(), soon).toBe(42);
    const trigger = page.locator(".card[data-kind=trigger]");
    const [list, first] = [await boxOf(outline), await boxOf(trigger)];
    expect(first.x).toBeGreaterThan(list.x + list.width);
    await outline.getByRole("searchbox", { name: "Filter steps" }).fill("last");
    await outline.getByRole("button", { name: "Set header last" }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent), soon).toContain("Set header last");
    await page.getByRole("separator", { name: "Resize the outline" }).focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(async () => (await boxOf(outline)).width, soon).toBe(list.width + 16);
    expect(await findingsOf(page)).toEqual([]);
    await page.reload();
    await outline.waitFor();
    await expect.poll(async () => (await boxOf(outline)).width, soon).toBe(list.width + 16);
    await page.locator(".card[data-kind=trigger]").focus();
    await page.keyboard.press("Shift+O");
    await expect.poll(() => outline.count(), soon).toBe(0);
  });

  it("the outline, Find and the inspector cover the steps of error handlers", async () => {
    const { page } = opened;
    const handler =
      "- onException:\n    exception: [java.lang.Exception]\n    steps:\n      - log: handled\n      - choice: {when: [{simple: '${body}', steps: [{log: inner}]}]}\n";
    designer.writeFlow(
      "handled",
      `${handler}- route:\n    id: handled\n    from:\n      uri: platform-http:/api/handled\n      steps:\n        - log: first\n`,
    );
    await page.goto(`${designer.url}/flows/handled`);
    await page.getByRole("tree").first().waitFor();
    await page.getByRole("button", { name: "Outline", exact: true }).click();
    const outline = page.getByRole("navigation", { name: "Outline" });
    await expect.poll(() => outline.getByRole("button").count(), soon).toBe(6);
    await outline.getByRole("button", { name: "Log" }).nth(1).click();
    await page.getByText("element onException · step onException1-log1 · line 4").waitFor();
    await page.keyboard.press("Control+f");
    await page.getByLabel("Find a step").fill("inner");
    await page.keyboard.press("Enter");
    await page.getByText("element onException · step onException1-log2 · line 5").waitFor();
  });
});

interface Panel {
  readonly name: string;
  readonly selector: string;
  readonly shortcut: string;
  readonly axis: "x" | "y";
  readonly growKey: string;
  /** Drags its border by 40 pixels outwards. */
  readonly distance: 40 | -40;
}

const panels: readonly Panel[] = [
  { name: "data panel", selector: ".editor__data", shortcut: "Shift+D", axis: "x", growKey: "ArrowLeft", distance: -40 },
  { name: "outline", selector: ".outline", shortcut: "Shift+O", axis: "x", growKey: "ArrowRight", distance: 40 },
  { name: "inspector", selector: ".editor__inspector", shortcut: "Shift+S", axis: "x", growKey: "ArrowLeft", distance: -40 },
  { name: "dock", selector: ".dock", shortcut: "Shift+P", axis: "y", growKey: "ArrowUp", distance: -40 },
];
