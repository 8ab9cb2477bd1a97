// Two tabs, a changed file, a changed deployment, a runtime that is down or rejects, a full disk, a crash: nothing is lost or overwritten silently.
import type { Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeWorkspaceFile } from "../../packages/designer/server/workspace/durable-file.ts";
import { badge, hasBrowser, openPage, soon, typeSource, watch, type OpenPage } from "./browser.ts";
import { startTestDesigner, webhookFlow, type StartedDesigner } from "./started-designer.ts";
import { startStubRuntime, type StubRuntime } from "./stub-runtime.ts";

describe.skipIf(!hasBrowser)("conflicts and failures (needs Chromium)", () => {
  let runtime: StubRuntime;
  let designer: StartedDesigner;
  let opened: OpenPage;
  let isFull = false;

  beforeEach(async () => {
    isFull = false;
    runtime = await startStubRuntime();
    designer = await startTestDesigner(runtime.baseUrl, {
      writeFile: (path, bytes) => (isFull ? Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" })) : writeWorkspaceFile(path, bytes)),
    });
    designer.writeFlow("orders", webhookFlow("orders"));
    opened = await openPage();
  });
  afterEach(async () => {
    await opened.close();
    await designer.end();
    await runtime.close();
    expect(opened.pageErrors).toEqual([]);
  });

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const visit = async (page: Page): Promise<void> => {
    await page.goto(`${designer.url}/flows/orders?view=yaml`);
    await page.locator(".cm-content").waitFor();
  };

  it("two tabs: the second save shows the difference and writes only after the user has decided", async () => {
    const { page, context, pageErrors } = opened;
    const other = await context.newPage();
    watch(other, pageErrors);
    await visit(page);
    await visit(other);
    await typeSource(page, webhookFlow("orders", "first"));
    await typeSource(other, webhookFlow("orders", "second"));
    await button(page, "Save").click();
    await expect.poll(() => designer.flowText("orders"), soon).toBe(webhookFlow("orders", "first"));
    // By keyboard: the other tab may have detected the change, and its dialog would cover the button.
    await other.keyboard.press("Control+s");
    const dialog = other.getByRole("dialog");
    await dialog.getByRole("cell", { name: "constant: first" }).waitFor();
    await dialog.getByRole("cell", { name: "constant: second" }).waitFor();
    expect(designer.flowText("orders")).toBe(webhookFlow("orders", "first"));
    await dialog.getByRole("button", { name: "Overwrite with my version" }).click();
    await expect.poll(() => designer.flowText("orders"), soon).toBe(webhookFlow("orders", "second"));
  });

  it("changes to different lines are merged and both saved; where both changed the same line, the user chooses", async () => {
    const { page } = opened;
    await visit(page);
    const flowWith = (name: string, text: string): string => webhookFlow("orders", text).replace("Orders to ERP", name);
    await typeSource(page, flowWith("Orders to ERP", "mine"));
    // Another tab saves.
    designer.writeFlow("orders", flowWith("Renamed elsewhere", "ok"));
    const dialog = page.getByRole("dialog");
    await dialog.getByText("The changes do not conflict").waitFor();
    await dialog.getByRole("button", { name: "Save merged" }).click();
    await expect.poll(() => designer.flowText("orders"), soon).toBe(flowWith("Renamed elsewhere", "mine"));
    await dialog.waitFor({ state: "detached" });
    await typeSource(page, flowWith("Mine", "left"));
    designer.writeFlow("orders", flowWith("Theirs", "right"));
    await dialog.getByText("2 sections were changed on both sides").waitFor();
    const merged = dialog.getByRole("button", { name: "Save merged" });
    await expect.poll(() => merged.isDisabled(), soon).toBe(true);
    await dialog.getByRole("group", { name: "Conflict 1" }).getByLabel("Version on disk").check();
    await expect.poll(() => merged.isDisabled(), soon).toBe(true);
    await dialog.getByRole("group", { name: "Conflict 2" }).getByLabel("My version").check();
    await merged.click();
    await expect.poll(() => designer.flowText("orders"), soon).toBe(flowWith("Theirs", "left"));
  });

  it("a file changed on disk: reloaded when nothing is unsaved, otherwise the user decides; undo restores the user's text", async () => {
    const { page } = opened;
    await visit(page);
    designer.writeFlow("orders", webhookFlow("orders", "by-hand"));
    await page.locator(".cm-content").getByText("by-hand").waitFor();
    await typeSource(page, webhookFlow("orders", "mine"));
    designer.writeFlow("orders", webhookFlow("orders", "again"));
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Use the version on disk" }).click();
    await page.locator(".cm-content").getByText("again").waitFor();
    await button(page, "Undo").click();
    await page.locator(".cm-content").getByText("mine").waitFor();
    expect(designer.flowText("orders")).toBe(webhookFlow("orders", "again"));
  });

  it("a deployment changed elsewhere: shows the difference and asks", async () => {
    const { page } = opened;
    await visit(page);
    await button(page, "Deploy").click();
    await expect.poll(() => page.getByRole("status").innerText(), soon).toMatch(badge);
    const theirs = webhookFlow("orders", "theirs");
    runtime.flows.set("orders", { yaml: theirs, lastModified: "2026-11-15T08:00:00.000Z" });
    await typeSource(page, webhookFlow("orders", "mine"));
    await button(page, "Deploy").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("constant: theirs").waitFor();
    expect(runtime.flows.get("orders")?.yaml).toBe(theirs);
    runtime.deployTime = "2026-11-15T09:00:00.000Z";
    await dialog.getByRole("button", { name: "Deploy anyway" }).click();
    await expect.poll(() => runtime.flows.get("orders")?.yaml, soon).toBe(webhookFlow("orders", "mine"));
    await expect.poll(() => page.getByRole("status").locator("time").getAttribute("datetime"), soon).toBe("2026-11-15T09:00:00.000Z");
  });

  it("a runtime that rejects the deployment: no badge, the error is shown, the edit is kept, and a retry works", async () => {
    const { page } = opened;
    runtime.override = ({ method }, response) =>
      method === "PUT" && (response.writeHead(401, { "content-type": "application/json" }).end(JSON.stringify({ error: "unauthorized" })), true);
    await visit(page);
    await typeSource(page, webhookFlow("orders", "edited"));
    await button(page, "Deploy").click();
    await page.getByRole("alert").getByText("the token in SLUICE_TEST_TOKEN was rejected").waitFor();
    await expect.poll(() => page.getByRole("status").innerText(), soon).toBe("");
    await page.locator(".cm-content").getByText("edited").waitFor();
    runtime.override = undefined;
    await button(page, "Deploy").click();
    await expect.poll(() => page.getByRole("status").innerText(), soon).toMatch(badge);
    expect(runtime.flows.get("orders")?.yaml).toBe(webhookFlow("orders", "edited"));
  });

  it("a runtime that is down: the state is gray, Deploy reports it, Save still works", async () => {
    const { page } = opened;
    await visit(page);
    await button(page, "Deploy").click();
    await expect.poll(() => page.getByRole("status").innerText(), soon).toMatch(badge);
    await runtime.close();
    await expect.poll(() => page.getByRole("status").getAttribute("class"), soon).toContain("chip--stale");
    await typeSource(page, webhookFlow("orders", "offline"));
    await button(page, "Deploy").click();
    await page.getByRole("alert").getByText("is not responding").waitFor();
    expect(designer.flowText("orders")).toBe(webhookFlow("orders", "offline"));
    await expect.poll(() => page.getByRole("status").innerText(), soon).toBe("");
    runtime = await startStubRuntime();
  });

  it("a full disk: Save reports it, the edit is kept, and saving works again when there is space", async () => {
    const { page } = opened;
    await visit(page);
    await typeSource(page, webhookFlow("orders", "large"));
    isFull = true;
    await button(page, "Save").click();
    await page.getByRole("alert").getByText("no space left on the disk").waitFor();
    await page.getByText("1 unsaved change").waitFor();
    expect(designer.flowText("orders")).toBe(webhookFlow("orders"));
    isFull = false;
    await button(page, "Save").click();
    await expect.poll(() => designer.flowText("orders"), soon).toBe(webhookFlow("orders", "large"));
  });

  it("a crash: unsaved work is offered on the next visit", async () => {
    const { page, context, pageErrors } = opened;
    await visit(page);
    await typeSource(page, webhookFlow("orders", "precious"));
    await expect.poll(() => page.evaluate(() => localStorage.getItem("sluice.draft.orders") ?? ""), soon).toContain("precious");
    await page.close({ runBeforeUnload: false });
    const next = await context.newPage();
    watch(next, pageErrors);
    await visit(next);
    await next.getByRole("alert").getByText("This browser has unsaved changes").waitFor();
    await button(next, "Restore changes").click();
    await next.locator(".cm-content").getByText("precious").waitFor();
    expect(designer.flowText("orders")).toBe(webhookFlow("orders"));
  });

  it("leaving the editor and returning keeps text and history", async () => {
    const { page } = opened;
    await visit(page);
    await typeSource(page, webhookFlow("orders", "stays-here"));
    await page.getByRole("link", { name: "Runs" }).click();
    await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
    await page.goBack();
    await page.locator(".cm-content").getByText("stays-here").waitFor();
    await button(page, "Undo").click();
    await page.getByText("1 unsaved change").waitFor({ state: "detached" });
  });
});
