// The documentation site: how pages are built, what the search finds, and how it looks in a browser.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderPage } from "../scripts/site/markdown.mjs";
import { navigation, readingOrder } from "../scripts/site/navigation.mjs";
import { pageHtml } from "../scripts/site/page.mjs";
import { searchEntries } from "../scripts/site/search-index.mjs";
import { hasBrowser, openBrowser } from "./designer/browser.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const html = (text: string, path = "a.md"): string => renderPage(text, path).body;

describe("a page of the documentation site", () => {
  it("links to pages of the site and shows text that looks like a tag", () => {
    expect(html("[a](../b/c.md#d) at /api/<route-id>", "how-to/a.md")).toBe('<p><a href="../b/c.html#d">a</a> at /api/&lt;route-id&gt;</p>\n');
    expect(html("[a](https://x.example/y.md)")).toContain('href="https://x.example/y.md"');
    expect(html("<!-- settings: A=b -->\n\n## One\n\n## One")).toBe('\n<h2 id="one">One</h2>\n<h2 id="one-1">One</h2>\n'.trimStart());
  });

  it("highlights code of a known language and escapes the rest", () => {
    expect(html("```yaml file=x.yaml\na: <b>\n```")).toBe(
      '<figure class="code"><figcaption>x.yaml</figcaption><pre><code class="language-yaml"><span class="hljs-attr">a:</span> <span class="hljs-string">&lt;b&gt;</span>\n</code></pre></figure>\n',
    );
    expect(html("```sh\necho $X # why\n```")).toContain('<span class="hljs-comment"># why</span>');
    expect(html("```output\n{<a>}\n```")).toBe('<figure class="output"><pre><code class="language-output">{&lt;a&gt;}\n</code></pre></figure>\n');
  });

  it("uses the dark screenshot in dark mode", () => {
    expect(html("![The canvas](screens/canvas-light.png)")).toBe(
      '<p><picture><source media="(prefers-color-scheme: dark)" srcset="screens/canvas-dark.png"><img src="screens/canvas-light.png" alt="The canvas" loading="lazy"></picture></p>\n',
    );
  });

  it("lists its headings in an outline", () => {
    const { outline } = renderPage("# Page\n\n## One `code`\n\n### Two\n\n```sh\n## no heading\n```", "a.md");
    expect(outline).toEqual([
      { id: "page", level: 1, title: "Page" },
      { id: "one-code", level: 2, title: "One code" },
      { id: "two", level: 3, title: "Two" },
    ]);
    const page = pageHtml({ path: "a.md", title: "Page", body: "", outline, menu: [], order: [] });
    expect(page).toContain('<li class="level-2"><a href="#one-code">One code</a></li><li class="level-3"><a href="#two">Two</a></li>');
  });
});

describe("navigation of the site", () => {
  const pages = [
    { path: "how-to/a.md", title: "A", text: "" },
    { path: "how-to/b.md", title: "B & C", text: "" },
    { path: "how-to/index.md", title: "How to", text: "# How to\n\n[B](b.md) [A](a.md)" },
    { path: "more.md", title: "More", text: "" },
    { path: "reference/steps/index.md", title: "Steps", text: "" },
    { path: "reference/steps/log.md", title: "Log", text: "" },
  ];
  const menu = navigation(pages);
  const order = readingOrder(pages, menu);

  it("has a menu in the order of the folder's index, with relative links", () => {
    expect(menu.find(({ folder }) => folder === "how-to")?.pages.map(({ title }: { title: string }) => title)).toEqual(["Overview", "B & C", "A"]);
    const page = pageHtml({ path: "how-to/a.md", title: "A", body: "", outline: [], menu, order });
    expect(page).toContain('<a href="b.html">B &amp; C</a>');
    expect(page).toContain('<a href="a.html" aria-current="page">A</a>');
    expect(page).toContain('<a href="../more.html">More</a>');
    expect(page).toContain('<link rel="stylesheet" href="../site.css">');
  });

  it("links each page to the one before and the one after it, including in subfolders", () => {
    expect(order.map(({ path }: { path: string }) => path)).toEqual([
      "how-to/index.md",
      "how-to/b.md",
      "how-to/a.md",
      "reference/steps/index.md",
      "reference/steps/log.md",
      "more.md",
    ]);
    const page = pageHtml({ path: "how-to/b.md", title: "B", body: "", outline: [], menu, order });
    expect(page).toContain('<a rel="prev" href="index.html"><small>Previous</small>How to</a><a rel="next" href="a.html"><small>Next</small>A</a>');
  });
});

describe("the search index", () => {
  it("has one entry per section, as plain text", () => {
    const text = "# Title\n\nIntro with [a link](x.md).\n\n## Part `one`\n\n```sh\n# a comment\necho hi\n```\n\n| a | b |\n|---|---|\n| `&lt;c>` | d |\n";
    expect(searchEntries([{ path: "x/y.md", title: "Title", text }])).toEqual([
      ["x/y.html", "Title", "", "Intro with a link."],
      ["x/y.html#part-one", "Title", "Part one", "# a comment echo hi a b <c> d"],
    ]);
  });
});

describe.skipIf(!hasBrowser)("the built site in a browser (needs Chromium)", () => {
  let folder: string;
  let browser: Browser;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sluice-site-"));
    execFileSync(process.execPath, [join(root, "scripts/site.mjs"), join(folder, "site")], { stdio: "pipe" });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function onPage<T>(
    path: string,
    options: { readonly width: number; readonly colorScheme?: "light" | "dark" },
    use: (page: Page) => Promise<T>,
  ): Promise<T> {
    const context = await browser.newContext({ viewport: { width: options.width, height: 844 }, colorScheme: options.colorScheme ?? "light" });
    try {
      const page = await context.newPage();
      await page.goto(pathToFileURL(join(folder, "site", path)).href);
      return await use(page);
    } finally {
      await context.close();
    }
  }
  const overflow = (page: Page): Promise<number> => page.evaluate("document.documentElement.scrollWidth - innerWidth");

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

  it("opens and closes the menu on a phone; the content comes first", async () => {
    await onPage("start/five-minutes.html", { width: 390 }, async (page) => {
      const menu = page.locator("#pages");
      expect(await menu.isVisible()).toBe(false);
      expect(await page.locator("h1").isVisible()).toBe(true);
      await page.click("#menu");
      expect(await menu.isVisible()).toBe(true);
      expect(await page.getAttribute("#menu", "aria-expanded")).toBe("true");
      await page.keyboard.press("Escape");
      expect(await menu.isVisible()).toBe(false);
    });
  });

  it.each(["index.html", "start/five-minutes.html", "reference/settings.html", "reference/steps/split.html", "troubleshooting.html", "designer/index.html"])(
    "%s fits windows of 1440 and 390 pixels; wide tables scroll",
    async (path) => {
      for (const width of [1440, 390])
        await onPage(path, { width }, async (page) => {
          expect(await overflow(page), `${path} at ${width}`).toBeLessThanOrEqual(0);
          const isCutOff = await page.evaluate(() =>
            [...document.querySelectorAll(".table")].some((box) => box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX !== "auto"),
          );
          expect(isCutOff).toBe(false);
        });
    },
  );

  it("loads the dark screenshots in dark mode", async () => {
    const shown = (colorScheme: "light" | "dark"): Promise<string> =>
      onPage("index.html", { width: 1440, colorScheme }, (page) =>
        page.evaluate(() => (document.querySelector("main picture img") as HTMLImageElement).currentSrc),
      );
    expect(await shown("light")).toMatch(/-light\.png$/);
    expect(await shown("dark")).toMatch(/-dark\.png$/);
  });
});
