// The import table of ARCHITECTURE.md, enforced: each room may import only what stands beside it here.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What each package may import from the others, and which npm packages it may use; `node:` only where said. */
const packages: Readonly<Record<string, { readonly internal: readonly string[]; readonly node: boolean }>> = {
  model: { internal: [], node: false },
  engine: { internal: ["@sluice/model"], node: false },
  standard: { internal: ["@sluice/model", "@sluice/engine/spi"], node: false },
  mapping: { internal: ["@sluice/model", "@sluice/engine/spi"], node: false },
  connectors: { internal: ["@sluice/model", "@sluice/engine/spi"], node: true },
  "flow-tests": { internal: ["@sluice/model", "@sluice/client"], node: true },
  server: {
    internal: ["@sluice/model", "@sluice/flow-tests", "@sluice/engine", "@sluice/engine/spi", "@sluice/standard", "@sluice/connectors", "@sluice/mapping"],
    node: true,
  },
  client: { internal: [], node: false },
  designer: { internal: ["@sluice/model", "@sluice/client"], node: false },
  cli: {
    internal: [
      "@sluice/model",
      "@sluice/client",
      "@sluice/flow-tests",
      "@sluice/server",
      "@sluice/server/check",
      "@sluice/server/config",
      "@sluice/server/workers",
      "@sluice/server/worker",
      "@sluice/designer/server",
    ],
    node: true,
  },
  testkit: { internal: ["@sluice/model", "@sluice/engine", "@sluice/engine/spi", "@sluice/standard"], node: true },
};

/** Rooms of a package that may not look into other rooms of the same package. */
const rooms: readonly { readonly in: string; readonly never: string; readonly because: string }[] = [
  { in: "packages/model/src/schema", never: "packages/model/src/read", because: "the vocabulary is the ground everything stands on" },
  { in: "packages/model/src/flow", never: "packages/model/src/check", because: "the flow is data; checking looks at it, never the reverse" },
  { in: "packages/model/src/read", never: "packages/model/src/check", because: "reading knows YAML, not what a step is" },
  { in: "packages/engine/src/exchange", never: "packages/engine/src/compile", because: "what travels does not know how it is compiled" },
  { in: "packages/engine/src/spi", never: "packages/engine/src/compile", because: "plug-ins see the door, not the house" },
  { in: "packages/engine/src/spi", never: "packages/engine/src/run", because: "plug-ins see the door, not the house" },
  { in: "packages/server/src/http", never: "packages/server/src/api", because: "the listener carries requests; it does not know what they mean" },
  { in: "packages/server/src/flows", never: "packages/server/src/api", because: "decisions do not know HTTP" },
  { in: "packages/server/src/mappings", never: "packages/server/src/api", because: "decisions do not know HTTP" },
  { in: "packages/server/src/access", never: "packages/server/src/api", because: "decisions do not know HTTP" },
  { in: "packages/server/src/runs", never: "packages/server/src/api", because: "decisions do not know HTTP" },
  { in: "packages/server/src/sessions", never: "packages/server/src/api", because: "decisions do not know HTTP" },
  { in: "packages/designer/src/document", never: "packages/designer/src/screens", because: "an open flow does not know how it is drawn" },
  { in: "packages/designer/src/commands", never: "packages/designer/src/screens", because: "what can be done does not know where it is shown" },
  { in: "packages/designer/server", never: "packages/designer/src", because: "the server does not know the page" },
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

/** Rooms with rules of their own inside a package. */
const exceptions: readonly { readonly in: string; readonly internal: readonly string[]; readonly node: boolean }[] = [
  { in: "packages/designer/server/", internal: ["@sluice/model"], node: true },
  // Tables and documents are tried out in the page with the very code the runtime uses.
  {
    in: "packages/designer/src/mappings/",
    internal: ["@sluice/model", "@sluice/client", "@sluice/mapping", "@sluice/standard", "@sluice/engine"],
    node: false,
  },
  {
    in: "packages/designer/src/simulation/",
    internal: ["@sluice/model", "@sluice/engine", "@sluice/standard", "@sluice/mapping", "@sluice/connectors/portable", "@sluice/flow-tests/portable"],
    node: false,
  },
  { in: "packages/designer/src/mappings/", internal: ["@sluice/model", "@sluice/mapping"], node: false },
];

const isTest = (file: string): boolean => /\.test(-support)?\.ts$|\.test-support\.ts$/.test(file);
const code = [...Object.keys(packages).flatMap((name) => sources(`packages/${name}/src`)), ...sources("packages/designer/server")].filter(
  (file) => !isTest(file),
);

describe("architecture", () => {
  for (const [name, rule] of Object.entries(packages)) {
    it(`${name} imports only what its place allows`, () => {
      const manifest = JSON.parse(readFileSync(join(root, `packages/${name}/package.json`), "utf8")) as Record<string, Record<string, string> | undefined>;
      // What is bundled into the page is needed for building only.
      const bundled = name === "designer" ? manifest["devDependencies"] : {};
      const declared = Object.keys({ ...manifest["dependencies"], ...manifest["optionalDependencies"], ...bundled });
      const wrong: string[] = [];
      for (const file of code.filter((path) => path.startsWith(`packages/${name}/`))) {
        const { internal, node } = exceptions.find((room) => file.startsWith(room.in)) ?? rule;
        for (const target of importsOf(file)) {
          if (target.startsWith(".")) {
            if (!resolve(root, dirname(file), target).startsWith(join(root, `packages/${name}/`))) wrong.push(`${file}: ${target} leaves the package`);
            if (!/\.(ts|tsx|css)$/.test(target)) wrong.push(`${file}: ${target} does not end in .ts`);
          } else if (target.startsWith("node:")) {
            if (!node) wrong.push(`${file}: ${target} in a pure package`);
          } else if (target.startsWith("@sluice/")) {
            if (!internal.includes(target)) wrong.push(`${file}: ${target} is not allowed in ${name}`);
          } else if (!declared.some((dependency) => target === dependency || target.startsWith(`${dependency}/`))) {
            wrong.push(`${file}: ${target} is no dependency of ${name}`);
          }
        }
      }
      expect(wrong).toEqual([]);
    });
  }

  it("rooms look only where they may", () => {
    const wrong = rooms.flatMap((room) =>
      code
        .filter((file) => file.startsWith(`${room.in}/`))
        .flatMap((file) =>
          importsOf(file)
            .filter((target) => target.startsWith(".") && relative(root, resolve(root, dirname(file), target)).startsWith(`${room.never}/`))
            .map((target) => `${file}: ${target} (${room.because})`),
        ),
    );
    expect(wrong).toEqual([]);
  });

  it("the engine knows no step, scheme or language by name", () => {
    const names = ["setBody", "setHeader", "wireTap", "recipientList", "multicast", "platform-http", "webhook", "jsonpath", "xpath", "seda"];
    const wrong = code
      .filter((file) => file.startsWith("packages/engine/src/"))
      .flatMap((file) => {
        const text = readFileSync(join(root, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
        return names.filter((name) => new RegExp(`["'\`]${name}["'\`:]`).test(text)).map((name) => `${file}: ${name}`);
      });
    expect(wrong).toEqual([]);
  });

  it("no file has a name that says nothing", () => {
    expect(code.filter((file) => forbiddenNames.test(file))).toEqual([]);
  });

  it("only config.ts reads the environment", () => {
    const wrong = code.filter((file) => !file.endsWith("server/src/config.ts") && /\bprocess\.env\b/.test(readFileSync(join(root, file), "utf8")));
    expect(wrong).toEqual([]);
  });

  it("pure packages ask no clock and throw no dice", () => {
    const wrong = code
      .filter((file) => /^packages\/(model|engine|standard|mapping)\//.test(file))
      .filter((file) =>
        /\bDate\.now\(|new Date\(\)|\bMath\.random\(|\bperformance\.now\(/.test(readFileSync(join(root, file), "utf8").replaceAll(/\/\/.*$/gm, "")),
      );
    expect(wrong).toEqual([]);
  });

  it("would notice a forbidden import", () => {
    expect(packages["engine"]?.internal).not.toContain("@sluice/standard");
    expect(importsOf("tests/architecture.test.ts")).toContain("node:fs");
  });
});
