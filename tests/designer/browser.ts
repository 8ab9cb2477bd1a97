// A real Chromium for the designer's tests: the executable in CHROMIUM, the headless shell, or another installed Chromium, Chrome or (on Windows) Edge. If
// there is none, the tests install the headless shell when they run as root, and are skipped otherwise. The headless shell draws no browser window, so a
// page takes a tenth of the processor time.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { buildDesigner } from "../../scripts/prepare.mjs";
import { withLock } from "../../scripts/with-lock.mjs";
import { executablePaths } from "./browser-paths.ts";

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
  const find = (): string | undefined => executablePaths(process.platform, process.env, homedir()).find((path) => existsSync(path));
  if (find() === undefined && process.getuid?.() === 0)
    spawnSync("apt-get", ["install", "-y", "chromium-headless-shell"], { timeout: 300_000, stdio: "ignore" });
  return find();
}

/** Opens a browser on the built page; builds it first if its sources are newer. */
export async function openBrowser(): Promise<Browser> {
  await buildOnce();
  return chromium.launch({ executablePath: executablePath as string, args: flags, timeout: 300_000 });
}

let shared: Promise<Browser> | undefined;

/** The browser of this process, which all its test files share. It ends with the process. */
const sharedBrowser = (): Promise<Browser> => (shared ??= openBrowser());

/** Test processes run concurrently: only one of them builds, the others wait. */
const buildOnce = (): Promise<void> => withLock(fileURLToPath(new URL("../../packages/designer/dist/build.lock", import.meta.url)), buildDesigner);

export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors in the page's scripts, and unexpected dialogs. */
  readonly pageErrors: string[];
  /** Call it while the designer is running: leaving the page may still send requests. */
  close(): Promise<void>;
}

interface PageOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Opens a page that no test has used before, for changes to the page that cannot be undone. */
  readonly unused?: boolean;
}

interface Reusable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The only origin whose storage it may have used. */
  origin: string | undefined;
}

/** The page of the last test, with empty storage. Its scripts are compiled, so it loads the next screen in a fifth of the time of a new page. */
let idle: Reusable | undefined;

/** Opens an empty page, like a new browser. */
export async function openPage({ viewport = { width: 1280, height: 800 }, unused = false }: PageOptions = {}): Promise<OpenPage> {
  const reusable = (unused ? undefined : idle) ?? (await newPage());
  if (reusable === idle) idle = undefined;
  const { page, context } = reusable;
  await page.setViewportSize(viewport);
  const pageErrors: string[] = [];
  watch(page, pageErrors);
  const close = async (): Promise<void> => {
    const isClean = !unused && idle === undefined && (await reset(reusable).catch(() => false));
    if (isClean) idle = reusable;
    else await context.close();
  };
  return { page, context, pageErrors, close };
}

async function newPage(): Promise<Reusable> {
  const context = await (await sharedBrowser()).newContext();
  context.setDefaultTimeout(waitMs);
  return { context, page: await context.newPage(), origin: undefined };
}

/** Makes the page as good as new; false if it may still differ from a new one. */
async function reset(reusable: Reusable): Promise<boolean> {
  const { page, context } = reusable;
  if (page.isClosed()) return false;
  const { origin } = new URL(page.url());
  if (origin !== (reusable.origin ??= origin) || !origin.startsWith("http")) return false;
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  // The screen stores drafts when it is left. The file has the same origin and its headers, so the browser keeps the renderer process.
  await page.goto(`${origin}/icon.svg`);
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await context.clearCookies();
  await context.clearPermissions();
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  for (const event of ["pageerror", "console", "dialog", "request", "response"] as const) page.removeAllListeners(event);
  return true;
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

/** Waits until the page has handled the events of the last change, such as scrolling, and has drawn the result. */
export const drawn = (page: Page): Promise<void> =>
  // real time: without a delay; the page's next task.
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))));

/** Resolves when all timers of the page that were due within `ms` have fired. */
// real time: of the page, whose timers fire in order.
export const timersFired = (page: Page, ms: number): Promise<void> => page.evaluate((delay) => new Promise((resolve) => setTimeout(resolve, delay)), ms);

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
