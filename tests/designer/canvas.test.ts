// The canvas and the inspector in a real browser against a real runtime: by keyboard alone, and with the mouse.
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, token as runtimeToken, type StartedServer } from "../started-server.ts";
import { badge, drawn, hasBrowser, openPage, soon, type OpenPage } from "./browser.ts";
import { startTestDesigner, webhookFlow, type StartedDesigner } from "./started-designer.ts";

describe.skipIf(!hasBrowser)("canvas and inspector (needs Chromium)", () => {
  let runtime: StartedServer;
  let designer: StartedDesigner;
  let opened: OpenPage;

  beforeAll(async () => {
    runtime = await startTestServer();
  });
  afterAll(() => runtime?.end());
  beforeEach(async () => {
    designer = await startTestDesigner(runtime.baseUrl, { environment: { SLUICE_TEST_TOKEN: runtimeToken } });
    opened = await openPage();
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    expect(opened.pageErrors).toEqual([]);
  });

  const card = (page: Page, name: string | RegExp) => page.getByRole("treeitem", { name });
  const focused = (page: Page): Promise<string> =>
    page.evaluate(() => (document.activeElement?.getAttribute("role") === "treeitem" ? (document.activeElement.textContent ?? "") : ""));
  const saveAndRead = async (page: Page, id: string): Promise<string> => {
    await page.keyboard.press("Control+s");
    await page.getByText("unsaved change").waitFor({ state: "detached" });
    return designer.flowText(id);
  };

  /** Adds the first result of a search in the step list. */
  async function add(page: Page, query: string, key = "a"): Promise<void> {
    await page.keyboard.press(key);
    await page.getByRole("combobox", { name: "Search steps and connectors" }).waitFor();
    await page.keyboard.insertText(query);
    await page.getByRole("option").first().waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }

  /** Moves from the card to a form field, types, and returns. */
  async function fill(page: Page, label: string, text: string): Promise<void> {
    await page.keyboard.press("Enter");
    const field = page.getByRole("complementary", { name: "Inspector" }).getByLabel(label, { exact: true });
    await field.waitFor();
    for (let tabs = 0; tabs < 30 && !(await field.evaluate((element) => element === document.activeElement)); tabs++) await page.keyboard.press("Tab");
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(text);
    await page.keyboard.press("Shift+F6");
  }

  it("builds a flow of six steps with a choice, deploys it and calls it, by keyboard alone", async () => {
    designer.writeFlow("built", "# mine\n- route:\n    id: built\n    from:\n      uri: platform-http:/api/built\n      steps: []\n");
    const { page } = opened;
    await page.goto(`${designer.url}/flows/built`);
    await card(page, /Webhook/).waitFor();
    for (let tabs = 0; tabs < 40 && !(await focused(page)).includes("Webhook"); tabs++) await page.keyboard.press("Tab");
    await expect.poll(() => focused(page), soon).toContain("Webhook");

    await add(page, "convertBodyTo");
    await add(page, "setHeader");
    await fill(page, "Name", "size");
    await fill(page, "Expression", "${body.length()}");
    await add(page, "choice");
    await expect.poll(() => focused(page), soon).toContain("Choice");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focused(page), soon).toContain("When");
    await fill(page, "Expression", "${header.size} > 3");
    await add(page, "setBody");
    await fill(page, "Expression", "long");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focused(page), soon).toContain("Otherwise");
    await add(page, "setBody");
    await fill(page, "Expression", "short");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => focused(page), soon).toContain("Choice");
    await add(page, "log");
    await fill(page, "Message", "it was ${body}");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => page.getByRole("status").innerText(), soon).toMatch(badge);
    expect(designer.flowText("built")).toBe(`# mine
- route:
    id: built
    from:
      uri: platform-http:/api/built
      steps:
        - convertBodyTo:
            type: String
        - setHeader:
            name: size
            simple: \${body.length()}
        - choice:
            when:
              - simple: \${header.size} > 3
                steps:
                  - setBody:
                      simple: long
            otherwise:
              steps:
                - setBody:
                    simple: short
        - log:
            message: it was \${body}
`);
    const call = async (body: string): Promise<string> => (await fetch(`${runtime.baseUrl}/api/built`, { method: "POST", body })).text();
    expect([await call("abcdef"), await call("ab")]).toEqual(["long", "short"]);
  });

  const nested = `- route:
    id: moves
    from:
      uri: direct:moves
      steps:
        - log: one # first
        - log: two
        - filter:
            simple: \${body}
            steps:
              - log: three
        - log: four
`;

  it("moves, wraps, unwraps, disables, duplicates and deletes by shortcut; each is one undo step", async () => {
    designer.writeFlow("moves", nested);
    const { page } = opened;
    await page.goto(`${designer.url}/flows/moves`);
    await card(page, /^Log.*one/).focus();
    await page.keyboard.press("Shift+ArrowDown");
    await expect.poll(() => page.locator('[role=treeitem][aria-selected="true"]').count(), soon).toBe(2);
    await page.keyboard.press("Alt+ArrowDown");
    await page.keyboard.press("Alt+ArrowRight");
    expect(
      await page
        .getByRole("treeitem")
        .allInnerTexts()
        .then((texts) => texts.map((text) => /one|two|three|four|body/.exec(text)?.[0]).filter(Boolean)),
    ).toEqual(["body", "three", "one", "two", "four"]);
    await add(page, "loop", "w");
    await expect.poll(() => focused(page), soon).toContain("Repeat");
    await page.keyboard.press("Shift+W");
    await page.keyboard.press("d");
    await page.keyboard.press("Control+d");
    await page.keyboard.press("Delete");
    expect(await saveAndRead(page, "moves")).not.toBe(nested);
    for (let count = 0; count < 7; count++) await page.keyboard.press("Control+z");
    await expect.poll(() => saveAndRead(page, "moves"), soon).toBe(nested);
    await page.keyboard.press("Control+Shift+z");
    await page.getByText("1 unsaved change").waitFor();
  });

  it("copies, cuts and pastes steps as YAML with new ids", async () => {
    designer.writeFlow("clip", nested.replaceAll("moves", "clip").replace("- log: two", "- log:\n            id: second\n            message: two"));
    const { page } = opened;
    await page.goto(`${designer.url}/flows/clip`);
    await card(page, /two/).focus();
    await page.keyboard.press("Control+c");
    await card(page, /three/).focus();
    await page.keyboard.press("Control+v");
    await expect.poll(() => card(page, /two/).count(), soon).toBe(2);
    await card(page, /^Log.*four/).focus();
    await page.keyboard.press("Control+x");
    await card(page, /trigger/).focus();
    await page.keyboard.press("Control+v");
    const text = await saveAndRead(page, "clip");
    expect(text).toContain("      steps:\n        - log: four\n        - log: one # first\n");
    expect(text.endsWith("              - log: three\n              - log:\n                  id: second-2\n                  message: two\n")).toBe(true);
  });

  it("arrow keys collapse and expand; Home and End move to the ends; Ctrl+F searches", async () => {
    designer.writeFlow("walk", nested.replaceAll("moves", "walk"));
    const { page } = opened;
    await page.goto(`${designer.url}/flows/walk`);
    await card(page, /^Only if/).focus();
    await expect.poll(() => card(page, /^Only if/).getAttribute("aria-expanded"), soon).toBe("true");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => card(page, /^Only if/).getAttribute("aria-expanded"), soon).toBe("false");
    await expect.poll(() => card(page, /three/).count(), soon).toBe(0);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => focused(page), soon).toContain("three");
    await expect.poll(() => card(page, /three/).getAttribute("aria-level"), soon).toBe("2");
    await page.keyboard.press("Home");
    await expect.poll(() => focused(page), soon).toContain("trigger");
    await page.keyboard.press("End");
    await expect.poll(() => focused(page), soon).toContain("four");
    await page.keyboard.press("Control+f");
    await page.keyboard.type("thr");
    await page.keyboard.press("Enter");
    await page.getByText("1 of 1", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page), soon).toContain("three");
  });

  it("Escape in a field stays in the inspector, so that the next letters change nothing; Shift+F6 moves to the canvas", async () => {
    const { page } = opened;
    const text = webhookFlow("escape");
    designer.writeFlow("escape", text);
    await page.goto(`${designer.url}/flows/escape?view=split`);
    await page.getByRole("treeitem", { name: /Set body/ }).waitFor();
    await page.goto(`${designer.url}/flows/escape`);
    await page.getByRole("treeitem", { name: /Set body/ }).click();
    const field = page.getByRole("complementary", { name: "Inspector" }).getByLabel("Expression", { exact: true });
    await field.focus();
    for (let count = 0; count < 3; count++) await page.keyboard.press("Escape");
    for (const key of ["d", "r", "w", "a", "Delete"]) await page.keyboard.press(key);
    await expect.poll(() => page.getByRole("dialog").count(), soon).toBe(0);
    await expect.poll(() => page.getByText("unsaved change").count(), soon).toBe(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest(".editor__inspector") !== null), soon).toBe(true);
    await page.keyboard.press("Shift+F6");
    await expect.poll(() => focused(page), soon).toContain("Set body");
    await page.keyboard.press("d");
    await page.getByText("1 unsaved change").waitFor();
  });

  it("a long flow keeps its size while scrolling, renders every step name, and can be navigated and searched to its end", async () => {
    const steps = Array.from({ length: 120 }, (_, index) =>
      index % 10 === 9
        ? `        - choice: {when: [{simple: "\${body} == ${index}", steps: [{log: "in ${index}"}, {log: again}]}], otherwise: {steps: [{to: "mock:${index}"}]}}`
        : `        - setHeader: {name: h${index}, constant: "${index}"}`,
    );
    designer.writeFlow("long", `- route:\n    id: long\n    from:\n      uri: direct:long\n      steps:\n${steps.join("\n")}\n`);
    const { page } = opened;
    await page.goto(`${designer.url}/flows/long`);
    await page.getByRole("tree").waitFor();
    await expect.poll(() => page.getByRole("treeitem").count(), soon).toBe(1 + 120 + 12 * 5);
    const size = () => page.locator(".canvas").evaluate(({ scrollHeight, scrollWidth }) => ({ scrollHeight, scrollWidth }));
    const before = await size();
    const pane = page.locator(".canvas");
    for (let part = 0; part <= 20; part++) {
      await pane.evaluate((element, share) => element.scrollTo({ top: element.scrollHeight * share }), part / 20);
      await drawn(page);
    }
    expect(await size()).toEqual(before);
    await card(page, /in 119/).waitFor();
    await pane.evaluate((element) => element.scrollTo({ top: 0 }));
    await page.getByRole("treeitem").first().click();
    await page.keyboard.press("End");
    await expect.poll(() => focused(page), soon).toMatch(/^Mock.*119$/);
    await expect(
      page
        .getByRole("treeitem")
        .last()
        .evaluate((element) => element.getBoundingClientRect().bottom < innerHeight),
    ).resolves.toBe(true);
    await page.keyboard.press("Home");
    await page.keyboard.press("Control+f");
    await page.locator(".canvas-bar--find .input").fill("in 89");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator('.canvas [aria-selected="true"]').innerText(), soon).toContain("in 89");
  });

  it("the mouse inserts steps in gaps, drags steps and adds branches", async () => {
    designer.writeFlow(
      "mouse",
      `${nested.replaceAll("moves", "mouse")}        - choice:\n            when:\n              - simple: a\n                steps: []\n`,
    );
    const { page } = opened;
    await page.goto(`${designer.url}/flows/mouse`);
    await card(page, /^Log.*one/).waitFor();
    await expect.poll(() => page.locator(".add-branch").count(), soon).toBeGreaterThan(0);
    await page.locator(".gap").nth(1).click();
    await page.getByRole("combobox", { name: "Search steps and connectors" }).fill("setBody");
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page), soon).toContain("Set body");
    await card(page, /^Log.*two/).dragTo(page.locator(".gap").first());
    await page.locator(".add-branch").click();
    await page.getByRole("option", { name: /Add otherwise/ }).click();
    await card(page, /^Otherwise/).waitFor();
    expect(await saveAndRead(page, "mouse")).toBe(`- route:
    id: mouse
    from:
      uri: direct:mouse
      steps:
        - log: two
        - log: one # first
        - setBody:
            simple: \${body}
        - filter:
            simple: \${body}
            steps:
              - log: three
        - log: four
        - choice:
            when:
              - simple: a
                steps: []
            otherwise:
              steps: []
`);
  });

  it("a form changes only its line; typing is one undo step; unknown keys are listed and kept", async () => {
    const text = webhookFlow("form").replace("constant: ok", "constant: ok # said\n            unknownKey: 1");
    designer.writeFlow("form", text);
    const { page } = opened;
    await page.goto(`${designer.url}/flows/form`);
    await card(page, /Set body/).click();
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    await inspector.getByText("unknownKey: 1").waitFor();
    await inspector.getByLabel("Expression", { exact: true }).fill("");
    await inspector.getByLabel("Expression", { exact: true }).pressSequentially("well: done");
    expect(await saveAndRead(page, "form")).toBe(text.replace("constant: ok #", 'constant: "well: done" #'));
    await page.getByRole("button", { name: "Undo" }).click();
    await inspector.getByLabel("Language", { exact: true }).selectOption("simple");
    expect(await saveAndRead(page, "form")).toBe(text.replace("constant: ok", "simple: ok"));
    await inspector.getByLabel("Expression", { exact: true }).fill("${hea");
    await page.keyboard.type("d");
    await inspector
      .getByRole("option", { name: /headers/ })
      .first()
      .waitFor();
    await inspector.getByLabel("Description", { exact: true }).fill("Says well done");
    await card(page, /Says well done/).waitFor();
    await inspector.getByRole("tab", { name: "YAML" }).click();
    await inspector.getByLabel("YAML of the selection").fill("log: [");
    await inspector.getByText("Not applied yet").waitFor();
    await inspector.getByLabel("YAML of the selection").fill("log: fine");
    await card(page, /^Log/).waitFor();
    expect(await saveAndRead(page, "form")).toContain("      steps:\n        - log: fine\n");
  });

  it("endpoint options are written as parameters; the trigger and the route have forms", async () => {
    designer.writeFlow("address", "- route:\n    id: address\n    from:\n      uri: timer:tick?period=5s\n      steps:\n        - to: direct:a\n");
    const { page } = opened;
    await page.goto(`${designer.url}/flows/address`);
    await card(page, /Timer/).click();
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    await inspector.getByLabel("Period", { exact: true }).fill("10s");
    await inspector.getByText("More options", { exact: false }).first().click();
    await inspector.getByLabel("Repeat count", { exact: true }).fill("3");
    await inspector.getByLabel("Description", { exact: true }).fill("Ticks");
    await card(page, /endpoint step/).click();
    await inspector.getByLabel("Connector", { exact: true }).selectOption({ label: "HTTP (http)" });
    await expect.poll(() => inspector.getByLabel("Address", { exact: false }).inputValue(), soon).toContain("http://");
    await inspector.getByLabel("Address", { exact: false }).fill("https://example.com/orders");
    await inspector.getByText("More options", { exact: false }).first().click();
    await inspector.getByLabel("Http method", { exact: true }).selectOption("PUT");
    expect(await saveAndRead(page, "address")).toBe(
      "- route:\n    id: address\n    description: Ticks\n    from:\n      uri: timer:tick?period=10s\n      parameters:\n        repeatCount: 3\n      steps:\n        - to:\n            uri: https://example.com/orders\n            parameters:\n              httpMethod: PUT\n",
    );
    await inspector.getByRole("button", { name: "Reset Http method to its default" }).click();
    expect((await saveAndRead(page, "address")).endsWith("        - to:\n            uri: https://example.com/orders\n")).toBe(true);
  });
});
