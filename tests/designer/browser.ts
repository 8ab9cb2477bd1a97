// A real Chromium for the designer's tests: the executable in CHROMIUM, the headless shell, or another installed Chromium or Chrome. If there is none,
// the tests install the headless shell when they run as root, and are skipped otherwise. The headless shell draws no browser window, so a page takes a
// tenth of the processor time.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { buildDesigner } from "../../scripts/prepare.mjs";

const executablePaths = [
  process.env["CHROMIUM"],
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
/** A host name for opening a page over plain HTTP as if from another machine: browsers disable the clipboard API for such pages. */
export const otherHost = "designer.test";

const flags = [
  `--host-resolver-rules=MAP ${otherHost} 127.0.0.1`,
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

/** How long a test waits for the page: on a busy machine a page may need ten times as long as usual. */
const waitMs = 90_000;

const executablePath = findChromium();
export const hasBrowser = executablePath !== undefined;

function findChromium(): string | undefined {
  const find = (): string | undefined => executablePaths.find((path) => path !== undefined && existsSync(path));
  if (find() === undefined && process.getuid?.() === 0)
    spawnSync("apt-get", ["install", "-y", "chromium-headless-shell"], { timeout: 300_000, stdio: "ignore" });
  return find();
}

/** Opens a browser on the built page; builds it first if its sources are newer. */
export async function openBrowser(): Promise<Browser> {
  await buildOnce();
  return chromium.launch({ executablePath: executablePath as string, args: flags, timeout: 120_000 });
}

/** Test files run concurrently: only one of them builds, the others wait. */
async function buildOnce(): Promise<void> {
  const lock = fileURLToPath(new URL("../../packages/designer/dist/build.lock", import.meta.url));
  const deadline = Date.now() + 180_000;
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      if (Date.now() > deadline || isAbandoned(lock)) rmSync(lock, { recursive: true, force: true });
      await sleep(250);
    }
  }
  try {
    await buildDesigner();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

const isAbandoned = (lock: string): boolean => existsSync(lock) && Date.now() - statSync(lock).mtimeMs > 150_000;

export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors in the page's scripts, and unexpected dialogs. */
  readonly pageErrors: string[];
}

export async function openPage(browser: Browser, options: Parameters<Browser["newContext"]>[0] = {}): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(waitMs);
  const page = await context.newPage();
  const pageErrors: string[] = [];
  watch(page, pageErrors);
  return { page, context, pageErrors };
}

export function watch(page: Page, pageErrors: string[]): void {
  page.on("pageerror", (error) => pageErrors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("Failed to load resource")) pageErrors.push(message.text());
  });
  page.on("dialog", (dialog) => {
    if (dialog.type() !== "beforeunload") pageErrors.push(`dialog: ${dialog.message()}`);
    void dialog.accept();
  });
}

/** Options for `expect.poll`. */
export const soon = { timeout: waitMs, interval: 50 };

/** Replaces the whole source, like pasting. */
export async function typeSource(page: Page, text: string): Promise<void> {
  const source = page.locator(".cm-content");
  const isFocused = (): Promise<boolean> => source.evaluate((element) => element === document.activeElement);
  // A closing dialog returns the focus to the previously focused element, possibly after the click.
  do {
    await source.click();
    await page.keyboard.press("Control+a");
  } while (!(await isFocused()));
  await source.evaluate((element, pasted) => {
    const data = new DataTransfer();
    data.setData("text/plain", pasted);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
}

/** The text of the deployment badge. */
export const badge = /^Deployed \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
