// Enforces the import table of ARCHITECTURE.md: each package may import only what is listed for it here.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The parts of the engine that a plug-in may import: the contract and its tools. */
const forPlugins = ["@sluice/engine/spi", "@sluice/engine/tools", "@sluice/engine/values"];

/** Allowed imports of other packages of this repository, and whether `node:` modules are allowed. npm packages must be declared in package.json. */
const packages: Readonly<Record<string, { readonly internal: readonly string[]; readonly node: boolean }>> = {
  model: { internal: [], node: false },
  engine: { internal: ["@sluice/model"], node: false },
  standard: { internal: ["@sluice/model", ...forPlugins], node: false },
  mapping: { internal: ["@sluice/model", ...forPlugins], node: false },
  connectors: { internal: ["@sluice/model", ...forPlugins], node: true },
  "flow-tests": { internal: ["@sluice/model", "@sluice/client"], node: true },
  server: {
    internal: [
      "@sluice/model",
      "@sluice/flow-tests",
      "@sluice/engine",
      ...forPlugins,
      "@sluice/standard",
      "@sluice/connectors",
      "@sluice/connectors/create-folder",
      "@sluice/connectors/durable-file",
      "@sluice/mapping",
    ],
    node: true,
  },
  client: { internal: [], node: false },
  designer: { internal: ["@sluice/model", "@sluice/client"], node: false },
  cli: {
    internal: [
      "@sluice/model",
      "@sluice/client",
      "@sluice/connectors/create-folder",
      "@sluice/flow-tests",
      "@sluice/server",
      "@sluice/server/check",
      "@sluice/server/cluster-target",
      "@sluice/server/config",
      "@sluice/server/flow-id",
      "@sluice/server/log-line",
      "@sluice/server/optional-parts",
      "@sluice/server/workers",
      "@sluice/server/worker",
      "@sluice/designer/server",
    ],
    node: true,
  },
  testkit: { internal: ["@sluice/model", "@sluice/engine", ...forPlugins, "@sluice/standard"], node: true },
};

/** Folders of a package that may not import from other folders of the same package. */
const folderRules: readonly { readonly in: string; readonly mayNotImport: string; readonly because: string }[] = [
  { in: "packages/model/src/schema", mayNotImport: "packages/model/src/read", because: "all other folders depend on the schema" },
  { in: "packages/model/src/flow", mayNotImport: "packages/model/src/check", because: "checks depend on the flow, not the reverse" },
  { in: "packages/model/src/read", mayNotImport: "packages/model/src/check", because: "parsing is independent of the declared steps" },
  { in: "packages/engine/src/compile", mayNotImport: "packages/engine/src/run", because: "the runtime depends on the compiler, not the reverse" },
  ...["spi", "exchange", "errors"].flatMap((folder) =>
    ["tools", "values", "compile", "run", "mocks"].map((forbidden) => ({
      in: `packages/engine/src/${folder}`,
      mayNotImport: `packages/engine/src/${forbidden}`,
      because: "the contract depends neither on tools nor on the engine",
    })),
  ),
  ...["tools", "values"].flatMap((folder) =>
    ["compile", "run", "mocks"].map((forbidden) => ({
      in: `packages/engine/src/${folder}`,
      mayNotImport: `packages/engine/src/${forbidden}`,
      because: "tools work with the contract only",
    })),
  ),
  { in: "packages/server/src/http", mayNotImport: "packages/server/src/api", because: "the listener passes requests on and does not interpret them" },
  ...["api", "metrics", "other-workers", "http", "flows"].map((folder) => ({
    in: `packages/server/src/${folder}`,
    mayNotImport: "packages/server/src/workers",
    because: "these folders access other workers only through other-workers",
  })),
  { in: "packages/server/src/flows", mayNotImport: "packages/server/src/api", because: "this folder is independent of HTTP" },
  { in: "packages/server/src/mappings", mayNotImport: "packages/server/src/api", because: "this folder is independent of HTTP" },
  { in: "packages/server/src/access", mayNotImport: "packages/server/src/api", because: "this folder is independent of HTTP" },
  { in: "packages/server/src/runs", mayNotImport: "packages/server/src/api", because: "this folder is independent of HTTP" },
  { in: "packages/server/src/sessions", mayNotImport: "packages/server/src/api", because: "this folder is independent of HTTP" },
  { in: "packages/designer/src/document", mayNotImport: "packages/designer/src/screens", because: "an open flow is independent of its display" },
  { in: "packages/designer/src/commands", mayNotImport: "packages/designer/src/screens", because: "commands are independent of the screens" },
  ...[
    "access",
    "api-client",
    "canvas",
    "catalog",
    "connections",
    "controls",
    "editor",
    "metrics",
    "inspector",
    "mappings",
    "simulation",
    "source-view",
    "trial",
    "workspace",
  ].map((folder) => ({
    in: `packages/designer/src/${folder}`,
    mayNotImport: "packages/designer/src/screens",
    because: "screens are composed of these parts, not the reverse",
  })),
  { in: "packages/designer/server", mayNotImport: "packages/designer/src", because: "the server is independent of the page" },
];

const forbiddenNames = /(^|[/-])(utils?|helpers?|common|misc|manager|service|base|impl)\.ts$|\/types\.ts$/;

function sources(folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(join(root, path)).isDirectory()) return name === "dist" || name === "node_modules" ? [] : sources(path);
    return /\.tsx?$/.test(name) && !name.endsWith(".d.ts") ? [path] : [];
  });
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^[ \t]*\/\/.*$/gm, "");
  return [...text.matchAll(/^(?:import|export)\b[^;"'`]*?\bfrom\s*"([^"]+)"|^import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/gm)].map(
    (match) => (match[1] ?? match[2] ?? match[3]) as string,
  );
}

/** The names that an index exports; it must list each of them. */
function exportsOf(index: string): readonly string[] {
  const text = readFileSync(join(root, index), "utf8");
  expect(text).not.toMatch(/^export \*/m);
  return [...text.matchAll(/^export (?:type )?\{([^}]*)\} from/gm)].flatMap(([, names = ""]) =>
    names
      .split(",")
      .map((name) => name.trim().replace(/^type /, ""))
      .filter((name) => name !== ""),
  );
}

function importsOnlyTypes(file: string, target: string): boolean {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  return lines.filter((line) => line.includes(`"${target}"`) && line.includes("import")).every((line) => line.startsWith("import type "));
}

/** Folders with their own rules inside a package. */
const exceptions: readonly { readonly in: string; readonly internal: readonly string[]; readonly node: boolean }[] = [
  // The workspace is written as safely as the data directory.
  { in: "packages/designer/server/", internal: ["@sluice/model", "@sluice/connectors/create-folder", "@sluice/connectors/durable-file"], node: true },
  // The page finds the tests that a change affects with the same code as the runtime.
  { in: "packages/designer/src/review/", internal: ["@sluice/model", "@sluice/client", "@sluice/flow-tests/portable"], node: false },
  // The designer previews tables and documents with the same code as the runtime.
  {
    in: "packages/designer/src/mappings/",
    internal: ["@sluice/model", "@sluice/client", "@sluice/mapping", "@sluice/standard", "@sluice/engine", ...forPlugins],
    node: false,
  },
  {
    in: "packages/designer/src/simulation/",
    internal: [
      "@sluice/model",
      "@sluice/engine",
      ...forPlugins,
      "@sluice/standard",
      "@sluice/mapping",
      "@sluice/connectors/portable",
      "@sluice/flow-tests/portable",
    ],
    node: false,
  },
];

const isTest = (file: string): boolean => /\.test(-support)?\.ts$/.test(file);
const code = [...Object.keys(packages).flatMap((name) => sources(`packages/${name}/src`)), ...sources("packages/designer/server")].filter(
  (file) => !isTest(file),
);

/** The imports of a file that the rules of its package do not allow, each with the reason. */
function forbiddenImports(name: string, file: string, targets: readonly string[]): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(root, `packages/${name}/package.json`), "utf8")) as Record<string, Record<string, string> | undefined>;
  // Packages bundled into the page and the command are only needed for building.
  const bundled = name === "designer" || name === "cli" ? manifest["devDependencies"] : {};
  const declared = Object.keys({ ...manifest["dependencies"], ...manifest["optionalDependencies"], ...bundled });
  const rule = exceptions.find((exception) => file.startsWith(exception.in)) ?? packages[name];
  const reasonAgainst = (target: string): string | undefined => {
    if (target.startsWith(".")) {
      if (!resolve(root, dirname(file), target).startsWith(join(root, `packages/${name}/`))) return "is outside the package";
      return /\.(ts|tsx|css)$/.test(target) ? undefined : "does not end in .ts, .tsx or .css";
    }
    if (target.startsWith("node:")) return rule?.node === true ? undefined : "is not allowed in a pure package";
    if (target.startsWith("@sluice/")) return rule?.internal.includes(target) === true ? undefined : `is not allowed in ${name}`;
    // A client that users install: it is loaded with loadClient, so only its types are imported.
    if (Object.hasOwn(manifest["peerDependencies"] ?? {}, target) && importsOnlyTypes(file, target)) return undefined;
    return declared.some((dependency) => target === dependency || target.startsWith(`${dependency}/`)) ? undefined : `is not a dependency of ${name}`;
  };
  return targets.flatMap((target) => {
    const reason = reasonAgainst(target);
    return reason === undefined ? [] : [`${file}: ${target} ${reason}`];
  });
}

describe("architecture", () => {
  it.each(Object.keys(packages))("%s imports only what its rules allow", (name) => {
    expect(code.filter((file) => file.startsWith(`packages/${name}/`)).flatMap((file) => forbiddenImports(name, file, importsOf(file)))).toEqual([]);
  });

  it("detects forbidden imports", () => {
    const allowed = ["./a.ts", "../b.ts", "@sluice/model"];
    const forbidden = ["./a.js", "../../../model/src/index.ts", "node:fs", "@sluice/standard", "no-such-package"];
    expect(forbiddenImports("engine", "packages/engine/src/run/x.ts", [...allowed, ...forbidden])).toEqual(
      forbidden.map((target) => expect.stringContaining(`packages/engine/src/run/x.ts: ${target} `)),
    );
    expect(importsOf("tests/architecture.test.ts")).toContain("node:fs");
  });

  it("folders import only what is allowed", () => {
    const violations = folderRules.flatMap((folderRule) =>
      code
        .filter((file) => file.startsWith(`${folderRule.in}/`))
        .flatMap((file) =>
          importsOf(file)
            .filter((target) => target.startsWith(".") && relative(root, resolve(root, dirname(file), target)).startsWith(`${folderRule.mayNotImport}/`))
            .map((target) => `${file}: ${target} (${folderRule.because})`),
        ),
    );
    expect(violations).toEqual([]);
  });

  it("the contract stays small: helpers for plug-ins are tools", () => {
    const contract = exportsOf("packages/engine/src/spi/index.ts");
    expect(contract).toEqual(expect.arrayContaining(["defineConnector", "Exchange", "RouteInput", "FlowError"]));
    expect(contract.length).toBeLessThanOrEqual(75);
    const tools = [...exportsOf("packages/engine/src/tools/index.ts"), ...exportsOf("packages/engine/src/values/index.ts")];
    expect(tools.filter((name) => contract.includes(name))).toEqual([]);
    const users = code.filter((file) => !file.startsWith("packages/engine/")).map((file) => readFileSync(join(root, file), "utf8"));
    expect(tools.filter((name) => !users.some((text) => new RegExp(`\\b${name}\\b`).test(text)))).toEqual([]);
  });

  it("the engine contains no names of steps, schemes or languages", () => {
    const names = ["setBody", "setHeader", "wireTap", "recipientList", "multicast", "platform-http", "webhook", "jsonpath", "xpath", "seda"];
    const violations = code
      .filter((file) => file.startsWith("packages/engine/src/"))
      .flatMap((file) => {
        const text = readFileSync(join(root, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
        return names.filter((name) => new RegExp(`["'\`]${name}["'\`:]`).test(text)).map((name) => `${file}: ${name}`);
      });
    expect(violations).toEqual([]);
  });

  it("no code outside a connector's folder lists schemes: metadata of a connector is in its declaration", () => {
    const schemes = readdirSync(join(root, "packages/connectors/src"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    const scheme = `(?:${schemes.join("|")}|https|rest-api|validator|xslt|ref|dataset)`;
    // Two schemes in a pattern or a list, or a comparison with one.
    const lists = new RegExp(`\\b${scheme}\\|${scheme}\\b|"${scheme}",\\s*"${scheme}"|scheme\\s*[!=]==?\\s*"${scheme}"`);
    const violations = code
      .filter((file) => !/^packages\/connectors\/src\/[^/]+\//.test(file) && !file.startsWith("packages/testkit/"))
      .filter((file) => lists.test(readFileSync(join(root, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "")));
    expect(violations).toEqual([]);
    expect(lists.test("/^(webhook|platform-http)\\b/")).toBe(true);
    expect(lists.test('new Set(["direct", "seda"])')).toBe(true);
  });

  it("classes of the contract are recognized by a symbol, because a plug-in may bundle its own copy", () => {
    const contract = sources("packages/engine/src").filter((file) => !isTest(file) && !/\/(compile|run|mocks)\//.test(file));
    const classes = contract.flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/^export class (\w+)/gm)].map(([, name]) => ({ name: name as string, file })),
    );
    expect(classes.map(({ name }) => name)).toEqual(expect.arrayContaining(["FlowError", "CompileError", "Message", "Headers", "Exchange"]));
    const violations = code.flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
      return classes
        .filter((candidate) => candidate.file !== file && new RegExp(`\\binstanceof ${candidate.name}\\b`).test(text))
        .map(({ name }) => `${file}: ${name}`);
    });
    expect(violations).toEqual([]);
  });

  it("no file has a meaningless name", () => {
    expect(code.filter((file) => forbiddenNames.test(file))).toEqual([]);
  });

  it("only config.ts reads the environment", () => {
    // Servers for tests are programs on this machine, found on the PATH.
    const violations = code.filter(
      (file) =>
        !file.startsWith("packages/testkit/src/servers/") &&
        !file.endsWith("server/src/config.ts") &&
        /\bprocess\.env\b/.test(readFileSync(join(root, file), "utf8")),
    );
    expect(violations).toEqual([]);
  });

  it("folders are created with createFolder: Node's own `recursive: true` never returns for some paths", () => {
    // The segments of the run store are in a thread that is started from text; the data directory exists by then.
    const allowed = ["packages/server/src/run-store/segment-files.ts"];
    const violations = code
      .filter((file) => !file.startsWith("packages/testkit/") && !allowed.includes(file))
      .filter((file) => /\bmkdir(?:Sync)?\([^;]*\brecursive:/.test(readFileSync(join(root, file), "utf8")));
    expect(violations).toEqual([]);
  });

  it("pure packages use no clock and no random numbers", () => {
    const violations = code
      .filter((file) => /^packages\/(model|engine|standard|mapping)\//.test(file))
      .filter((file) =>
        /\bDate\.now\(|new Date\(\)|\bMath\.random\(|\bperformance\.now\(/.test(readFileSync(join(root, file), "utf8").replaceAll(/\/\/.*$/gm, "")),
      );
    expect(violations).toEqual([]);
  });
});
