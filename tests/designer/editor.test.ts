// The designer against a real runtime, in a real browser.
import { statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, token as runtimeToken, type StartedServer } from "../started-server.ts";
import { badge, hasBrowser, openPage, soon, typeSource, type OpenPage } from "./browser.ts";
import { startTestDesigner, webhookFlow, type StartedDesigner } from "./started-designer.ts";
import { hashOf } from "./stub-runtime.ts";

describe.skipIf(!hasBrowser)("the editor (needs Chromium)", () => {
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

  const deployed = async (id: string): Promise<string | undefined> =>
    (await runtime.api("GET", "/flows")).json.flows.find((flow: { id: string }) => flow.id === id)?.hash;

  it("serves the app, which opens the list of flows", async () => {
    await opened.page.goto(designer.url);
    await opened.page.getByRole("heading", { name: "Flows" }).waitFor();
    expect(opened.page.url()).toBe(`${designer.url}/flows`);
  });

  it("an edit changes only its line; Save writes the text to disk and does not affect the runtime", async () => {
    const text = webhookFlow("saved");
    designer.writeFlow("saved", text);
    const { page } = opened;
    await page.goto(`${designer.url}/flows/saved`);
    const step = page.getByRole("tree").getByRole("treeitem").nth(1);
    await step.focus();
    await page.keyboard.press("d");
    await page.getByText("1 unsaved change").waitFor();
    expect(designer.flowText("saved")).toBe(text);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("1 unsaved change").waitFor({ state: "detached" });
    expect(designer.flowText("saved")).toBe(`${text}            disabled: true\n`);
    expect(await deployed("saved")).toBeUndefined();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("1 unsaved change").waitFor();
    await page.keyboard.press("Control+s");
    await expect.poll(() => designer.flowText("saved"), soon).toBe(text);
    await page.getByRole("button", { name: "Redo" }).click();
    await page.getByText("1 unsaved change").waitFor();
  });

  it("Deploy saves the unsaved edit, deploys it, and shows the badge with the runtime's time", async () => {
    designer.writeFlow("edited", webhookFlow("edited"));
    const { page } = opened;
    await page.goto(`${designer.url}/flows/edited?view=yaml`);
    await typeSource(page, webhookFlow("edited", "changed"));
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await expect.poll(() => page.getByRole("status").innerText(), soon).toMatch(badge);
    const saved = designer.flowText("edited");
    expect(saved).toContain("constant: changed");
    expect(await deployed("edited")).toBe(hashOf(saved));
    const { lastModified } = (await runtime.api("GET", "/flows/edited")).json;
    await expect.poll(() => page.getByRole("status").locator("time").getAttribute("datetime"), soon).toBe(lastModified);
    const called = await fetch(`${runtime.baseUrl}/api/edited`, { method: "POST" });
    expect(await called.text()).toBe("changed");
  });

  it("Deploy without unsaved changes deploys the saved file and does not write it", async () => {
    designer.writeFlow("unchanged", webhookFlow("unchanged"));
    const file = join(designer.workspace, "flows/unchanged.yaml");
    const before = statSync(file, { bigint: true }).mtimeNs;
    const { page } = opened;
    await page.goto(`${designer.url}/flows/unchanged`);
    await page.getByText("Draft", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await expect.poll(() => page.getByRole("status").innerText(), soon).toMatch(badge);
    expect(statSync(file, { bigint: true }).mtimeNs).toBe(before);
    expect(await deployed("unchanged")).toBe(hashOf(webhookFlow("unchanged")));
  });

  it("a rejected deployment shows the reason and no badge, keeps the edit and the old version; fixing it works", async () => {
    designer.writeFlow("rejected", webhookFlow("rejected"));
    const { page } = opened;
    await page.goto(`${designer.url}/flows/rejected?view=split`);
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await expect.poll(() => page.getByRole("status").innerText(), soon).toMatch(badge);
    await typeSource(page, webhookFlow("rejected").replace("setBody", "setBdy"));
    await page.getByRole("tab", { name: "Problems (1)" }).waitFor();
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByRole("alert").getByText("unknown step 'setBdy'").waitFor();
    await page.getByText("Failed", { exact: true }).waitFor();
    await expect.poll(() => page.getByRole("status").innerText(), soon).toBe("");
    expect(designer.flowText("rejected")).toContain("setBdy");
    expect(await deployed("rejected")).toBe(hashOf(webhookFlow("rejected")));
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await expect.poll(() => page.getByRole("status").innerText(), soon).toMatch(badge);
  });

  it("shows Changed after a save with other content, and the last valid canvas while the source is invalid", async () => {
    designer.writeFlow("change", webhookFlow("change"));
    const { page } = opened;
    await page.goto(`${designer.url}/flows/change?view=split`);
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await expect.poll(() => page.getByRole("status").innerText(), soon).toMatch(badge);
    await typeSource(page, `${webhookFlow("change")}  bad: [`);
    await page.getByText("showing the last valid version").waitFor();
    await expect.poll(() => page.getByRole("treeitem").count(), soon).toBe(2);
    await page.keyboard.press("Control+z");
    await page.getByText("showing the last valid version").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Canvas", exact: true }).click();
    await page.getByRole("treeitem").nth(1).focus();
    await page.keyboard.press("Control+d");
    await page.keyboard.press("Control+s");
    await page.getByText("Changed", { exact: true }).waitFor();
    await expect.poll(() => page.getByRole("status").innerText(), soon).toBe("");
  });

  it("restoring a version is an edit like any other", async () => {
    designer.writeFlow("old", webhookFlow("old"));
    const { page } = opened;
    await page.goto(`${designer.url}/flows/old?view=yaml`);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByRole("button", { name: "Restore" }).first().waitFor();
    await typeSource(page, webhookFlow("old", "later"));
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(() => page.getByRole("button", { name: "Restore" }).count(), soon).toBe(2);
    await page.getByRole("button", { name: "Compare" }).last().click();
    await page.getByRole("region", { name: "Difference" }).getByText("constant: later").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByText("1 unsaved change").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(() => designer.flowText("old"), soon).toBe(webhookFlow("old"));
  });

  it("Try it calls the deployed flow", async () => {
    designer.writeFlow("try", webhookFlow("try", "hello"));
    const { page } = opened;
    await page.goto(`${designer.url}/flows/try`);
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await expect.poll(() => page.getByRole("status").innerText(), soon).toMatch(badge);
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect.poll(() => page.locator(".try__body").innerText(), soon).toBe("hello");
  });

  it("the token is never sent to the browser", async () => {
    designer.writeFlow("secret", webhookFlow("secret"));
    const { page } = opened;
    const received: string[] = [];
    page.on(
      "response",
      (reply) =>
        void reply.text().then(
          (text) => received.push(text),
          () => undefined,
        ),
    );
    page.on("request", (request) => received.push(request.url(), JSON.stringify(request.headers())));
    await page.goto(`${designer.url}/settings`);
    await page.getByText("Up, engine").waitFor();
    await page.goto(`${designer.url}/flows/secret`);
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await expect.poll(() => page.getByRole("status").innerText(), soon).toMatch(badge);
    received.push(await page.evaluate(() => JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }) + document.cookie));
    expect(received.length).toBeGreaterThan(10);
    expect(received.filter((text) => text.includes(runtimeToken))).toEqual([]);
  });
});
