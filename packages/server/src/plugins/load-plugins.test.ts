import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadPlugins } from "./load-plugins.ts";
import { PluginError, type PluginProblem } from "./plugin-error.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-plugins-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const metadata = `title: "A", summary: "A plug-in.", group: "test", since: "1.0", examples: []`;
const connector = (scheme: string, more = ""): string =>
  `{ scheme: "${scheme}", ${metadata}, syntax: "${scheme}:name", roles: ["sink"], path: {}, options: {}, headers: {}, connect: () => ({}), ${more} }`;

function put(files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
}

/** Creates a package with a manifest and one module. */
function putPackage(path: string, module: string, manifest: Readonly<Record<string, unknown>> = {}): void {
  const fields = { name: path.replace(/^node_modules\//, ""), version: "1.2.3", type: "module", exports: "./index.js", ...manifest };
  put({ [`${path}/package.json`]: fields, [`${path}/index.js`]: module });
}

const kit = (...schemes: readonly string[]) => ({ sluice: { kit: "1", schemes } });
const load = (connectors: string, functions?: string) => loadPlugins({ connectors, functions }, folder);

async function problems(connectors: string, functions?: string): Promise<readonly PluginProblem[]> {
  const error = await load(connectors, functions).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(PluginError);
  return (error as PluginError).problems;
}

describe("loading plug-ins", () => {
  it("loads nothing unless it is configured", async () => {
    putPackage("node_modules/sluice-connector-a", "throw new Error('loaded')", kit());
    expect(await load("")).toMatchObject({ connectors: [], packages: [] });
    expect(await load(" , ")).toMatchObject({ connectors: [], packages: [] });
  });

  it("loads installed packages, scoped packages and folders, each once", async () => {
    putPackage("node_modules/sluice-connector-a", `export const connectors = [${connector("a", `aliases: ["aa"]`)}];`, kit("aa", "a"));
    putPackage("node_modules/@acme/b", `export const connectors = [${connector("b")}];`, kit("b"));
    putPackage(
      "own",
      `export const steps = [{ name: "s", ${metadata}, options: {}, compile: () => () => undefined }];
       export const languages = [{ name: "l", ${metadata}, options: {}, compile: () => () => 1 }];
       export const formats = [{ name: "f", ${metadata}, options: {}, create: () => ({}) }];
       export const beans = [{ names: ["n", "m"], kind: "value", ${metadata}, properties: {}, create: () => 1 }];
       export const connections = [{ type: "t", ${metadata}, kinds: ["k"], fields: {}, needs: [], open: () => 1, close: () => 1, check: () => "" }];`,
      kit(),
    );
    const { packages, connectors } = await load("sluice-connector-a, @acme/b,./own,./own");
    expect(connectors.map(({ scheme }) => scheme)).toEqual(["a", "b"]);
    const none = { connectors: [], steps: [], languages: [], formats: [], beans: [], connections: [] };
    expect(packages).toEqual([
      { ...none, name: "sluice-connector-a", version: "1.2.3", connectors: ["a", "aa"] },
      { ...none, name: "@acme/b", version: "1.2.3", connectors: ["b"] },
      { ...none, name: "own", version: "1.2.3", steps: ["s"], languages: ["l"], formats: ["f"], beans: ["n", "m"], connections: ["t"] },
    ]);
  });

  it.each([
    ["a map with conditions", { exports: { ".": { types: "./x.d.ts", require: "./no.cjs", import: "./index.js" } } }],
    ["conditions without a map", { exports: { browser: "./no.js", default: "./index.js" } }],
    ["nested conditions and fallbacks", { exports: { ".": [{ worker: "./no.js" }, { node: { import: "./index.js" } }] } }],
    ["main", { exports: undefined, main: "index.js" }],
    ["the default file name", { exports: undefined }],
  ])("finds the module of a package by %s", async (_, fields) => {
    putPackage("p", `export const connectors = [${connector("p")}];`, { ...kit("p"), ...fields });
    expect((await load("./p")).connectors.map(({ scheme }) => scheme)).toEqual(["p"]);
  });

  it("reports a missing package, where it was searched for, and how to fix the problem", async () => {
    expect(await problems("nosuch,./nowhere,Not A Name")).toEqual([
      {
        code: "plugin-missing",
        file: "nosuch",
        message: `SERVICE_CONNECTORS: the package 'nosuch' is not installed in '${folder}' or next to the runtime`,
        fix: `run 'npm install nosuch' in '${folder}', or remove it from SERVICE_CONNECTORS`,
      },
      {
        code: "plugin-missing",
        file: "./nowhere",
        message: expect.stringContaining(`the folder '${join(folder, "nowhere")}' does not exist`),
        fix: expect.any(String),
      },
      { code: "plugin-missing", file: "Not A Name", message: expect.stringContaining("neither a package name nor a folder"), fix: expect.any(String) },
    ]);
  });

  it.each([
    ["a module that throws", `throw new Error("no license")`, kit(), "plugin-failed", "no license"],
    ["a dependency that is missing", `import "nosuch-dependency"`, kit(), "plugin-failed", "nosuch-dependency"],
    ["a syntax error", `export const connectors = [`, kit(), "plugin-failed", "failed"],
    ["a package without a module", "", { ...kit(), exports: "./dist/index.js" }, "plugin-invalid", "does not exist"],
    ["a package without an importable export", "", { ...kit(), exports: { require: "./index.js" } }, "plugin-invalid", "does not export an importable module"],
    ["a module without declarations", "export const x = 1;", kit(), "plugin-invalid", "it exports none of connectors, steps"],
    ["an export that is not a list", "export const connectors = {};", kit(), "plugin-invalid", "'connectors' is not a list"],
    ["a list item that is not a declaration", "export const connectors = [1];", kit(), "plugin-invalid", "connectors[0] is not a declaration"],
    [
      "a declaration without a function",
      `export const steps = [{ name: "s", ${metadata}, options: {} }];`,
      kit(),
      "plugin-invalid",
      "steps[0].compile is not a function",
    ],
    [
      "fields that are not made with f",
      `export const connectors = [${connector("a", "options: { a: 1 }")}];`,
      kit("a"),
      "plugin-invalid",
      "fields made with f.*",
    ],
    ["unknown roles", `export const connectors = [${connector("a", "roles: ['both']")}];`, kit("a"), "plugin-invalid", "'source', 'sink' or 'poller'"],
    ["a package without a manifest", `export const connectors = [${connector("a")}];`, {}, "plugin-invalid", "package.json has no key 'sluice'"],
    ["another contract version", `export const connectors = [${connector("a")}];`, { sluice: { kit: "2" } }, "plugin-invalid", "version '2'"],
    ["unlisted schemes", `export const connectors = [${connector("a")}];`, kit("b"), "plugin-invalid", `lists the schemes ["b"], the module has ["a"]`],
  ])("rejects %s with file, reason and fix", async (_, module, manifest, code, text) => {
    putPackage("p", module, manifest);
    const [problem, ...more] = await problems("./p");
    expect(problem).toMatchObject({ code, file: join(folder, "p/package.json"), message: expect.stringContaining(text), fix: expect.stringMatching(/.{10}/) });
    expect(more).toEqual([]);
  });

  it("rejects a folder without a readable package.json", async () => {
    put({ "p/index.js": "", "q/package.json": "{" });
    expect((await problems("./p,./q")).map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringMatching(/^plugin-invalid .*does not exist/),
      expect.stringMatching(/^plugin-invalid .*cannot be read/),
    ]);
  });

  it("rejects names that exist in the runtime or in another plug-in", async () => {
    putPackage("p", `export const connectors = [${connector("a")}, ${connector("x", `aliases: ["timer"]`)}, ${connector("x")}];`, kit("a", "x", "timer", "x"));
    putPackage("q", `export const connectors = [${connector("a")}];`, kit("a"));
    putPackage("r", `export const languages = [{ name: "js", ${metadata}, options: {}, compile: () => () => 1 }];`, kit());
    expect((await problems("./p,./q,./r")).map(({ code, message, fix }) => [code, message, fix])).toEqual([
      ["plugin-conflict", "'p' declares the scheme 'timer', which the runtime already declares", "rename it, or do not load 'p'"],
      ["plugin-conflict", "'p' declares the scheme 'x' twice", "remove one of them"],
      ["plugin-conflict", "'q' declares the scheme 'a', which p already declares", "rename it, or do not load 'q'"],
      ["plugin-conflict", "'r' declares the language 'js', which the runtime already declares", "rename it, or do not load 'r'"],
    ]);
  });

  it("loads functions too, and reports all problems together", async () => {
    put({ "functions.mjs": "export const twice = (x) => x + x; export const math = { half: (x) => x / 2 };", "none.mjs": "export const a = 1;" });
    expect((await load("", "functions.mjs")).beans.map(({ names }) => names)).toEqual([["math"], ["math.half"], ["twice"]]);
    expect((await problems("nosuch", "none.mjs")).map(({ code }) => code)).toEqual(["plugin-missing", "plugin-invalid"]);
    expect(await problems("", "nowhere.mjs")).toEqual([expect.objectContaining({ code: "plugin-failed", file: join(folder, "nowhere.mjs") })]);
  });
});
