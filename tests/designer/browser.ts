// A real Chromium for the designer's tests. Without one the tests are skipped with a plain message.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { buildDesigner } from "../../scripts/prepare.mjs";

const places = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

const executablePath = findChromium();
export const hasBrowser = executablePath !== undefined;
if (!hasBrowser) console.warn("The designer's browser tests are skipped: there is no Chromium. Install the package 'chromium' or set CHROMIUM.");

function findChromium(): string | undefined {
  const find = (): string | undefined => places.find((path) => path !== undefined && existsSync(path));
  if (find() === undefined && process.getuid?.() === 0) spawnSync("apt-get", ["install", "-y", "chromium"], { timeout: 300_000, stdio: "ignore" });
  return find();
}

/** Opens a browser on the built page; builds it first when its sources are newer. */
export async function openBrowser(): Promise<Browser> {
  buildOnce();
  return chromium.launch({ executablePath: executablePath as string, args: flags, timeout: 120_000 });
}

/** Test files run beside each other: only one of them builds, the others wait for it. */
function buildOnce(): void {
  const lock = join(tmpdir(), "sluice-designer-build.lock");
  const deadline = Date.now() + 180_000;
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      if (Date.now() > deadline || isAbandoned(lock)) rmSync(lock, { recursive: true, force: true });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
    }
  }
  try {
    buildDesigner();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

const isAbandoned = (lock: string): boolean => existsSync(lock) && Date.now() - statSync(lock).mtimeMs > 150_000;

export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Faults of the page's own scripts, and dialogs nobody asked for. */
  readonly faults: string[];
}

export async function openPage(browser: Browser, options: Parameters<Browser["newContext"]>[0] = {}): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(45_000);
  const page = await context.newPage();
  const faults: string[] = [];
  watch(page, faults);
  return { page, context, faults };
}

export function watch(page: Page, faults: string[]): void {
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("Failed to load resource")) faults.push(message.text());
  });
  page.on("dialog", (dialog) => {
    if (dialog.type() !== "beforeunload") faults.push(`dialog: ${dialog.message()}`);
    void dialog.accept();
  });
}

/** For `expect.poll`: a loaded machine may take its time. */
export const soon = { timeout: 45_000, interval: 50 };

/** Replaces the whole source, as pasting does. */
export async function typeSource(page: Page, text: string): Promise<void> {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+a");
  await page.locator(".cm-content").evaluate((element, pasted) => {
    const data = new DataTransfer();
    data.setData("text/plain", pasted);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
}

/** The badge of a deployment, in words. */
export const badge = /^Deployed \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
