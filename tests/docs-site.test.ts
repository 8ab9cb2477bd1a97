// The documentation site: how pages are built, the menu and the search index. long/docs-site.test.ts builds the site and opens it in a browser.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { renderPage } from "../scripts/site/markdown.mjs";
import { navigation, readingOrder } from "../scripts/site/navigation.mjs";
import { pageHtml } from "../scripts/site/page.mjs";
import { searchEntries } from "../scripts/site/search-index.mjs";

const html = (text: string, path = "a.md"): string => renderPage(text, path).body;

describe("a page of the documentation site", () => {
  it("links to pages of the site and shows text that looks like a tag", () => {
    expect(html("[a](../b/c.md#d) at /api/<route-id>", "how-to/a.md")).toBe('<p><a href="../b/c.html#d">a</a> at /api/&lt;route-id&gt;</p>\n');
    expect(html("[a](https://x.example/y.md)")).toContain('href="https://x.example/y.md"');
    expect(html("[a](../../examples/README.md) [b](../../Dockerfile)", "how-to/a.md")).toBe(
      '<p><a href="../repository/examples/README.html">a</a> <a href="../repository/Dockerfile.txt">b</a></p>\n',
    );
    expect(html("[a](../docs/how-to/a.md)", "repository/examples/README.md")).toContain('href="../../how-to/a.html"');
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
    { path: "how-to/c.md", title: "C", text: "" },
    { path: "how-to/index.md", title: "How to", text: "# How to\n\n[B](b.md)\n\n| Later | |\n|---|---|\n| [C](c.md) | [A](a.md) |" },
    { path: "index.md", title: "Sluice", text: "[Quick start](start/z.md) [Install](start/y.md)" },
    { path: "reference/index.md", title: "Reference", text: "[Steps](steps/index.md)" },
    { path: "reference/steps/index.md", title: "Steps", text: "" },
    { path: "reference/steps/log.md", title: "Log", text: "" },
    { path: "start/y.md", title: "Install", text: "" },
    { path: "start/z.md", title: "Quick start", text: "" },
    { path: "troubleshooting.md", title: "Troubleshooting", text: "" },
  ];
  const menu = navigation(pages);
  const order = readingOrder(menu);

  it("has the pages of a section in the order and the groups of its index, with relative links", () => {
    const section = menu.find(({ folder }: { folder?: string }) => folder === "how-to");
    const titles = section.groups.map((group: { title: string; pages: readonly { title: string }[] }) => [
      group.title,
      ...group.pages.map(({ title }) => title),
    ]);
    expect(titles).toEqual([
      ["", "Overview", "B & C"],
      ["Later", "C", "A"],
    ]);
    const page = pageHtml({ path: "how-to/a.md", title: "A", body: "", outline: [], menu, order });
    expect(page).toContain('<a href="b.html">B &amp; C</a>');
    expect(page).toContain("<p>Later</p>");
    expect(page).toContain('<a href="a.html" aria-current="page">A</a>');
    expect(page).toContain('<a href="../troubleshooting.html">Troubleshooting</a>');
    expect(page).toContain('<link rel="stylesheet" href="../site.css">');
  });

  it("shows where a page is: its sections above it, and the pages of its own subfolder only", () => {
    const page = pageHtml({ path: "reference/steps/log.md", title: "Log", body: "", outline: [], menu, order });
    expect(page).toContain('<nav class="trail" aria-label="Position"><a href="../index.html">Reference</a> › <a href="index.html">Steps</a></nav>');
    expect(page).toContain('<a href="log.html" aria-current="page">Log</a>');
    expect(pageHtml({ path: "reference/index.md", title: "Reference", body: "", outline: [], menu, order })).not.toContain("log.html");
  });

  it("links each page to the one before and the one after it, including in subfolders", () => {
    expect(order.map(({ path }: { path: string }) => path)).toEqual([
      "start/z.md",
      "start/y.md",
      "how-to/index.md",
      "how-to/b.md",
      "how-to/c.md",
      "how-to/a.md",
      "reference/index.md",
      "reference/steps/index.md",
      "reference/steps/log.md",
      "troubleshooting.md",
    ]);
    const page = pageHtml({ path: "how-to/b.md", title: "B", body: "", outline: [], menu, order });
    expect(page).toContain('<a rel="prev" href="index.html"><small>Previous</small>How to</a><a rel="next" href="c.html"><small>Next</small>C</a>');
  });

  it("has the order of the tables of contents of the front page and of README.md", () => {
    const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
    const sections = (text: string, prefix: string): readonly string[] => {
      const table = text.slice(text.indexOf("## Documentation"));
      const links = [...table.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, link]) => link as string).filter((link) => link.startsWith(prefix));
      return [...new Set(links.map((link) => link.slice(prefix.length).replace(/\/.*/, "")))];
    };
    const all = [...new Set(sections(read("docs/index.md"), ""))];
    expect(
      navigation(all.map((name) => ({ path: name.endsWith(".md") ? name : `${name}/index.md`, title: name, text: "" }))).map(
        (section: { folder?: string; path?: string }) => section.folder ?? section.path,
      ),
    ).toEqual(all);
    const readme = sections(read("README.md"), "docs/");
    expect(readme.filter((name) => all.includes(name))).toEqual(all.filter((name) => readme.includes(name)));
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

  it("numbers headings that occur twice, as the pages do", () => {
    expect(searchEntries([{ path: "a.md", title: "A", text: "# A\n\n## One\n\n## A\n\n## One\n" }]).map(([address]: [string]) => address)).toEqual([
      "a.html",
      "a.html#one",
      "a.html#a-1",
      "a.html#one-1",
    ]);
  });
});
