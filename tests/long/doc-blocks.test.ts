// Every code block of the documentation is checked here; doc-pages.test.ts runs the pages. The words after the fence select how:
//   sh            run, in order, in one folder per page against its own server; a following `output` block is the expected output
//   sh start      done by the test itself: starting the server, setting $SLUICE, $TOKEN and $AUTH
//   sh elsewhere  needs something a test lacks (a container, systemd, a browser): only the syntax and the sluice commands are checked
//   yaml          a flow that can be deployed; `yaml tests` a file of flow tests; `yaml other` any YAML
//   ini           a systemd unit
//   js            a module that can be parsed
//   ts            an exact excerpt of the sources of an example
//   json          JSON in which `…` matches anything
//   <any> file=x  also written to x before the next command runs
//   text          not checked
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readFlowTests } from "@sluice/flow-tests";
import { createFlowChecker } from "@sluice/server/check";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { commands } from "../../packages/cli/src/commands/index.ts";
import { docPages, nameOf, pattern, readPage, type Block } from "../doc-page.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = docPages();

const checkFlow = createFlowChecker();
const anyValue = (name: string): string => (name.endsWith("url") ? "http://x.invalid" : "x");

/** All errors in a flow whose parameters and operator functions are unknown. */
async function flowErrors(source: string): Promise<readonly string[]> {
  const { diagnostics, flow } = await checkFlow({ id: "doc", source, property: anyValue });
  const errors = diagnostics
    .filter(({ severity, code }) => severity === "error" && code !== "bean-unknown")
    .map(({ span, message }) => `line ${span.line}: ${message}`);
  return errors.length === 0 && flow.routes.length + flow.entities.length === 0 ? ["the flow is empty"] : errors;
}

function testErrors(source: string): readonly string[] {
  readFlowTests(source);
  return [];
}

const yamlErrors = (source: string): readonly string[] => parseAllDocuments(source).flatMap(({ errors }) => errors.map(({ message }) => message));

function jsonErrors(source: string): readonly string[] {
  JSON.parse(source.replaceAll(/,?\s*…\s*(?=[}\]])/g, "").replaceAll(/"…"\s*(?!:)/g, "null"));
  return [];
}

function shellErrors(source: string): readonly string[] {
  execFileSync("bash", ["-n", "-c", source], { stdio: "pipe" });
  return [];
}

/** Checks a systemd unit with systemd if it is available. */
function unitErrors(source: string): readonly string[] {
  if (!existsSync("/usr/bin/systemd-analyze")) return [];
  const folder = mkdtempSync(join(tmpdir(), "sluice-unit-"));
  const unit = join(folder, "page.service");
  writeFileSync(unit, source.replaceAll("/usr/bin/node", process.execPath));
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", unit], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  // It also exits with 0 for unknown keywords.
  return stderr.split("\n").filter((line) => line.includes("page.service") || (status !== 0 && line !== ""));
}

function scriptErrors(source: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "sluice-script-"));
  const script = join(folder, "page.mjs");
  writeFileSync(script, source);
  const { status, stderr } = spawnSync(process.execPath, ["--check", script], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  return status === 0 ? [] : [stderr];
}

const exampleSources = readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" })
  .filter((name) => /^[^/\\]+[/\\]src[/\\].*\.ts$/.test(name))
  .map((name) => readFileSync(join(root, "examples", name), "utf8"));

const excerptErrors = (source: string): readonly string[] => (exampleSources.some((text) => text.includes(source)) ? [] : ["no example contains these lines"]);

const checks: Readonly<Record<string, (body: string) => readonly string[] | Promise<readonly string[]>>> = {
  yaml: flowErrors,
  "yaml tests": testErrors,
  "yaml other": yamlErrors,
  json: jsonErrors,
  ini: unitErrors,
  js: scriptErrors,
  ts: excerptErrors,
  sh: shellErrors,
  "sh start": shellErrors,
  "sh elsewhere": shellErrors,
};
const unchecked = new Set(["", "text", "output", "csv", "xml"]);

async function errorsOf({ kind, mode, body }: Block): Promise<readonly string[]> {
  const check = checks[mode === undefined ? kind : `${kind} ${mode}`];
  if (check === undefined) return unchecked.has(kind) && mode === undefined ? [] : [`unknown kind of block '${kind} ${mode ?? ""}'`];
  try {
    return await check(body);
  } catch (error) {
    return [(error as Error).message];
  }
}

describe("the blocks of every page", () => {
  it.each(pages.filter(({ blocks }) => blocks.length > 0).map((page) => [nameOf(page), page] as const))("%s are valid", async (_, { blocks }) => {
    const found = await Promise.all(blocks.map(async (block) => (await errorsOf(block)).map((error) => `line ${block.line}: ${error}`)));
    expect(found.flat()).toEqual([]);
  });

  it("name only commands that exist", () => {
    const names = new Set([...commands.map(({ name }) => name), "help"]);
    const unknownCommands = pages.flatMap((page) =>
      page.blocks
        .filter(({ kind }) => kind === "sh")
        .flatMap(({ body }) => [...body.matchAll(/\b(?:npx|bin\/)\s*sluice ([a-z-]+)/g)])
        .filter((match) => !names.has(match[1] as string))
        .map((match) => `${nameOf(page)}: ${match[0]}`),
    );
    expect(unknownCommands).toEqual([]);
  });
});

describe("the checks themselves", () => {
  const block = (kind: string, body: string, mode?: string): Block => ({ line: 1, kind, mode, file: undefined, body });

  it("find errors", async () => {
    expect(await errorsOf(block("yaml", "- route: {id: a, from: {uri: webhook, steps: [{lgo: x}]}}"))).toEqual([expect.stringContaining("unknown step 'lgo'")]);
    expect(await errorsOf(block("yaml", "[]"))).not.toEqual([]);
    expect(await errorsOf(block("yaml", "flow: a.yaml\ntests: [{nam: x}]", "tests"))).not.toEqual([]);
    expect(await errorsOf(block("yaml", "a: [", "other"))).not.toEqual([]);
    expect(await errorsOf(block("js", "const a = ;"))).toEqual([expect.stringContaining("SyntaxError")]);
    expect(await errorsOf(block("json", '{"a": }'))).not.toEqual([]);
    expect(await errorsOf(block("json", '{"a": "…", "b": [1, …]}'))).toEqual([]);
    expect(await errorsOf(block("sh", "if true; then"))).not.toEqual([]);
    if (existsSync("/usr/bin/systemd-analyze")) expect(await errorsOf(block("ini", "[Service]\nExecStart=/usr/bin/node\nRestrat=always\n"))).not.toEqual([]);
    expect(await errorsOf(block("ts", "export const nowhere = 1;"))).toEqual(["no example contains these lines"]);
    expect(await errorsOf(block("klingon", "x"))).not.toEqual([]);
    expect("a b").toMatch(pattern("a …"));
    expect("b a").not.toMatch(pattern("a …"));
  });

  it("parse the words after a fence", () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-page-"));
    writeFileSync(join(folder, "page.md"), "<!-- settings: A=1 B=c=d -->\n\n```yaml file=x/y.yaml\na: 1\n```\n\n```sh start\nls\n```\n");
    expect(readPage(join(folder, "page.md"))).toMatchObject({
      settings: { A: "1", B: "c=d" },
      blocks: [
        { line: 3, kind: "yaml", mode: undefined, file: "x/y.yaml", body: "a: 1\n" },
        { line: 7, kind: "sh", mode: "start", file: undefined, body: "ls\n" },
      ],
    });
    rmSync(folder, { recursive: true });
  });
});
