// Keeps the documents up to date: generated pages are compared with a fresh generation, and links must resolve. long/doc-blocks.test.ts checks the code
// blocks.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { webhookErrors } from "@sluice/connectors";
import { errorCodes } from "@sluice/server";
import { beforeAll, describe, expect, it } from "vitest";
import { pageAnchors } from "../scripts/site/anchor.mjs";
import { referencePages } from "../scripts/docs/pages.mjs";
import { scanErrorCodes } from "../scripts/docs/scan-error-codes.mjs";
import { scanComposedCodes } from "../scripts/docs/scan-composed-codes.mjs";
import { markdownBelow } from "./doc-page.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const reference = join(root, "docs/reference");

describe("the generated reference", () => {
  let pages: ReadonlyMap<string, string>;
  beforeAll(async () => {
    pages = await referencePages(root);
  });

  it("equals the output of `npm run docs`", () => {
    const stale = [...pages]
      .filter(([path, text]) => !existsSync(join(reference, path)) || readFileSync(join(reference, path), "utf8") !== text)
      .map(([path]) => path);
    expect(stale, "run `npm run docs` and commit the result").toEqual([]);
  });

  it("describes nothing that was removed", () => {
    const folders = ["steps", "connectors", "connections", "languages", "formats", "entities", "documents"];
    const orphans = folders.flatMap((folder) => readdirSync(join(reference, folder)).map((name) => `${folder}/${name}`)).filter((path) => !pages.has(path));
    expect(orphans).toEqual([]);
  });

  it("has a page with options and an example for every step", () => {
    const page = pages.get("steps/split.md") as string;
    expect(page).toContain("| `delimiter` | string | `,` |");
    expect(page).toMatch(/```yaml\n- route:\n {4}id: example/);
    expect(pages.get("errors.md")).toContain("| `flow-empty` | flow defines no routes |");
  });

  it("links every schema of the API to its own section", () => {
    const page = pages.get("api.md") as string;
    const headings = page.match(/^#{2,3} .+$/gm) ?? [];
    const links = [...page.matchAll(/\[(\w+)\]\(#([\w-]+)\)/g)];
    expect(links.length).toBeGreaterThan(50);
    const anchorOf = pageAnchors();
    const anchors = new Map(headings.map((heading) => [anchorOf(heading.replace(/^#+ /, "")), heading]));
    const targetOf = (anchor: string | undefined) => anchors.get(anchor ?? "");
    expect([...new Set(links.filter(([, name, anchor]) => targetOf(anchor) !== `### ${name}`).map(([link]) => link))]).toEqual([]);
  });

  it("lists only the filters that a stream applies", () => {
    const page = pages.get("api.md") as string;
    const filtersOf = (path: string): readonly string[] => {
      const section = (page.split(`### GET /_api/${path}\n`)[1] as string).split("\n### ")[0] as string;
      return [...section.matchAll(/^\| `(\w+)` \| /gm)].map((match) => match[1] as string);
    };
    const [trace, log] = [filtersOf("trace/stream"), filtersOf("logs/stream")];
    expect(trace.filter((name) => !log.includes(name))).toEqual(["type", "body"]);
    expect(log.filter((name) => !trace.includes(name))).toEqual(["level"]);
  });

  it("has valid code spans and defaults", () => {
    const all = [...pages.values()].join("\n");
    expect((all.match(/(`+)[^\n]+?\1(?!`)/g) ?? []).filter((span) => span.includes("&lt;"))).toEqual([]);
    expect(all.match(/.*, `` by default.*/g)).toBeNull();
  });
});

const documents = [
  ...markdownBelow(join(root, "docs")),
  ...markdownBelow(join(root, "examples")),
  ...readdirSync(root)
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(root, name)),
];
const proseOf = (file: string): string => readFileSync(file, "utf8").replaceAll(/```[^]*?```/g, "");

/** The anchors of a page's headings on GitHub and on the site. */
function anchorsOf(file: string): ReadonlySet<string> {
  const anchorOf = pageAnchors();
  return new Set([...proseOf(file).matchAll(/^#{1,6} (.+)$/gm)].map((match) => anchorOf(match[1] as string)));
}

function brokenLinks(file: string): readonly string[] {
  return [...proseOf(file).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(([linkText, path = "", anchor]) => {
    const target = path === "" ? file : resolve(dirname(file), path);
    if (!existsSync(target)) return [`${file.slice(root.length)}: ${linkText}`];
    if (statSync(target).isDirectory()) return [`${file.slice(root.length)}: ${linkText} is a folder: link to its README.md or index.md`];
    return anchor === undefined || !target.endsWith(".md") || anchorsOf(target).has(anchor)
      ? []
      : [`${file.slice(root.length)}: ${linkText} has no such heading`];
  });
}

describe("links", () => {
  it("between documents resolve to a file and heading", () => {
    expect(documents.length).toBeGreaterThan(100);
    expect(documents.flatMap(brokenLinks)).toEqual([]);
  });

  it("reach every page from the front page", () => {
    const frontPage = join(root, "docs/index.md");
    const reached = new Set([frontPage]);
    for (const file of reached)
      for (const [, path = ""] of proseOf(file).matchAll(/\]\((?!https?:|mailto:)([^)#\s]+\.md)(?:#[^)]*)?\)/g)) reached.add(resolve(dirname(file), path));
    expect(markdownBelow(join(root, "docs")).filter((file) => !reached.has(file) && !/decisions\/\d{4}-/.test(file))).toEqual([]);
  });
});

describe("names in the documents", () => {
  const handWritten = markdownBelow(join(root, "docs"))
    .filter((file) => !file.startsWith(reference))
    .concat(join(root, "README.md"));
  const sources = (folder: string): string =>
    readdirSync(join(root, "packages", folder, "src"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => readFileSync(join(root, "packages", folder, "src", name), "utf8"))
      .join("\n");

  it("troubleshooting covers exactly the existing error codes", () => {
    const listed = new Set(
      [...readFileSync(join(root, "docs/troubleshooting.md"), "utf8").matchAll(/^\| ((?:`[a-z0-9-]+`(?:, )?)+) \|/gm)].flatMap(
        (row) => (row[1] as string).match(/[a-z0-9-]+/g) ?? [],
      ),
    );
    const packages = ["model", "engine", "standard", "connectors", "server"];
    const composedCodes: readonly string[] = scanComposedCodes(root, [...packages, "mapping"]);
    expect(composedCodes).toEqual(expect.arrayContaining(["xpath-syntax", "invalid-csv", "yaml-bad-indent", "storage-full", "flow-conflict-claim"]));
    const codes = new Set<string>([
      ...scanErrorCodes(root, packages).map(({ code }: { code: string }) => code),
      ...composedCodes,
      ...Object.keys({ ...errorCodes, ...webhookErrors }),
    ]);
    expect(codes.size).toBeGreaterThan(140);
    expect([...codes].filter((code) => !listed.has(code))).toEqual([]);
    const text = [...packages, "mapping", "cli"].map(sources).join("\n");
    expect([...listed].filter((code) => !codes.has(code) && !text.includes(`"${code}"`))).toEqual([]);
  });

  it("npm scripts exist in package.json", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
    const unknownScripts = documents.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/\bnpm run ([a-z:-]+)/g)]
        .map((match) => match[1] as string)
        .filter((name) => !(name in scripts))
        .map((name) => `${file.slice(root.length)}: npm run ${name}`),
    );
    expect(unknownScripts).toEqual([]);
  });

  it("settings and metrics exist in the runtime", () => {
    const settings = new Set(readFileSync(join(reference, "settings.md"), "utf8").match(/\bSERVICE_[A-Z_]+\b/g));
    const metrics = sources("server");
    const unknownNames = handWritten.flatMap((file) => {
      const text = readFileSync(file, "utf8");
      return [
        ...(text.match(/\bSERVICE_[A-Z_]+\b/g) ?? []).filter((name) => !settings.has(name)),
        ...(text.match(/\bsluice_[a-z_]+\b/g) ?? []).filter((name) => !metrics.includes(`"${name}"`)),
      ].map((name) => `${file.slice(root.length)}: ${name}`);
    });
    expect(unknownNames).toEqual([]);
  });
});
