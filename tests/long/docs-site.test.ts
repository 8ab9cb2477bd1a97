// The documentation site as readers get it: built, all its links followed, and opened in a browser at the widths of a phone, a tablet and a laptop.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, openBrowser } from "../designer/browser.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "sluice-site-"));
const site = join(folder, "site");
let pages: readonly string[];
beforeAll(() => {
  execFileSync(process.execPath, [join(root, "scripts/site.mjs"), site], { stdio: "pipe" });
  pages = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the built site", () => {
  it("has no dead link and no dead anchor, also in the search index", () => {
    const text = new Map(pages.map((path) => [resolve(site, path), readFileSync(join(site, path), "utf8")]));
    const ids = new Map([...text].map(([path, html]) => [path, new Set([...html.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id))]));
    const problemOf = (from: string, href: string): string | undefined => {
      if (/^[a-z]+:/.test(href)) return undefined;
      const [path = "", anchor] = decodeURI(href.replaceAll("&amp;", "&")).split("#");
      const target = path === "" ? from : resolve(dirname(from), path);
      if (!target.startsWith(site) || !existsSync(target)) return `${from.slice(site.length)}: ${href} does not exist`;
      return anchor === undefined || ids.get(target)?.has(anchor) === true ? undefined : `${from.slice(site.length)}: ${href} has no such heading`;
    };
    const hrefs = [...text].flatMap(([path, html]) =>
      [...html.matchAll(/\b(?:href|src|srcset)="([^"]+)"/g)].map(([, href]) => [path, href as string] as const),
    );
    const searched = [...readFileSync(join(site, "search-index.js"), "utf8").matchAll(/\["([^"]+\.html[^"]*)"/g)].map(
      ([, href]) => [join(site, "index.html"), href as string] as const,
    );
    expect(hrefs.length).toBeGreaterThan(10_000);
    expect(searched.length).toBeGreaterThan(1_000);
    expect([...new Set([...hrefs, ...searched].flatMap(([path, href]) => problemOf(path, href) ?? []))]).toEqual([]);
  });

  it("has every page in the menu or below a page of the menu, except the front page, and files outside docs/", () => {
    const linked = pages.filter((path) => !readFileSync(join(site, path), "utf8").includes('aria-current="page"'));
    expect(linked.filter((path) => !path.startsWith("repository/"))).toEqual(["index.html"]);
  });
});

describe.skipIf(!hasBrowser)("the built site in a browser (needs Chromium)", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  async function onPage<T>(
    path: string,
    options: { readonly width: number; readonly colorScheme?: "light" | "dark" },
    use: (page: Page) => Promise<T>,
  ): Promise<T> {
    const context = await browser.newContext({ viewport: { width: options.width, height: 740 }, colorScheme: options.colorScheme ?? "light" });
    try {
      const page = await context.newPage();
      await page.goto(addressOf(path));
      return await use(page);
    } finally {
      await context.close();
    }
  }
  const addressOf = (path: string): string => pathToFileURL(join(site, path)).href;

  it.each([
    ["install", /install/i],
    ["plugin", /function|connector|plug-?in/i],
    ["deduplicate", /avoid duplicates|idempotent/i],
    ["typescript", /client|program|typescript/i],
  ])("finds pages for '%s', with a snippet", async (query, expected) => {
    await onPage("index.html", { width: 1440 }, async (page) => {
      await page.fill("#search", query);
      const results = page.locator("#found li");
      await results.first().waitFor();
      expect(await results.first().innerText()).toMatch(expected);
      expect(await page.locator("#found mark").count()).toBeGreaterThan(0);
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => !url.href.endsWith("site/index.html"));
    });
  });

  it("shows a message when no page matches", async () => {
    await onPage("index.html", { width: 1440 }, async (page) => {
      await page.fill("#search", "zzzz");
      await page.getByText("No page matches").waitFor();
    });
  });

  it("has a menu for a phone that covers the page, whose entries can be reached and touched, and that closes again", async () => {
    await onPage("how-to/retry.html", { width: 360 }, async (page) => {
      const menu = page.locator("#pages");
      expect(await menu.isVisible()).toBe(false);
      expect(await page.locator("h1").isVisible()).toBe(true);
      await page.click("#menu");
      expect(await page.getAttribute("#menu", "aria-expanded")).toBe("true");
      const [menuBox, headerBox] = [await menu.boundingBox(), await page.locator("header").boundingBox()];
      expect(menuBox).toEqual({ x: 0, y: headerBox?.height, width: 360, height: 740 - (headerBox?.height ?? 0) });
      const entries = menu.locator("summary, a").filter({ visible: true });
      const heights = await entries.evaluateAll((all) => all.map((entry) => entry.getBoundingClientRect().height));
      expect(heights.length).toBeGreaterThan(40);
      expect(Math.min(...heights)).toBeGreaterThanOrEqual(40);
      expect((await entries.first().boundingBox())?.y).toBeGreaterThanOrEqual(headerBox?.height ?? 0);
      await entries.last().scrollIntoViewIfNeeded();
      const last = await entries.last().boundingBox();
      expect((last?.y ?? Infinity) + (last?.height ?? 0)).toBeLessThanOrEqual(740);
      await page.keyboard.press("Escape");
      expect(await menu.isVisible()).toBe(false);
      await page.click("#menu");
      await menu.getByText("Operations").click();
      await menu.getByText("Data, backup, upgrade").click();
      await page.waitForURL(/operations\/data\.html$/);
      expect(await menu.isVisible()).toBe(false);
    });
  });

  it("fits the window of a phone, a tablet and a laptop on every page; wide tables scroll", async () => {
    const tooWide: string[] = [];
    await onPage("index.html", { width: 360 }, async (page) => {
      for (const path of pages) {
        await page.goto(addressOf(path));
        for (const width of [360, 768, 1280]) {
          await page.setViewportSize({ width, height: 740 });
          const isTooWide = await page.evaluate(() => {
            const boxes = [...document.querySelectorAll(".table, pre")];
            return (
              document.documentElement.scrollWidth > innerWidth ||
              boxes.some((box) => box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX !== "auto")
            );
          });
          if (isTooWide) tooWide.push(`${path} at ${width}`);
        }
      }
    });
    expect(tooWide).toEqual([]);
  });

  it("loads the dark screenshots in dark mode", async () => {
    const shown = (colorScheme: "light" | "dark"): Promise<string> =>
      onPage("index.html", { width: 1440, colorScheme }, async (page) => {
        const image = page.locator("main picture img").first();
        // It is lazy.
        await image.scrollIntoViewIfNeeded();
        return image.evaluate(async (element: HTMLImageElement) => {
          await element.decode();
          return element.currentSrc;
        });
      });
    expect(await shown("light")).toMatch(/-light\.png$/);
    expect(await shown("dark")).toMatch(/-dark\.png$/);
  });
});
