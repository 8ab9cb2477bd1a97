// Bundles the command into one file, and large packages that few runtimes need into separate files, and stores the V8 code cache
// (see packages/cli/bin/bundle.cjs).
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const { file, hashOfInputs, inputsFile, stampOfInputs } = createRequire(import.meta.url)("../packages/cli/bin/bundle.cjs");
const folder = dirname(file);
const lazyMark = "\0lazy:";
const separateMark = "\0separate:";

/** Modules that the bundle replaces, by path. */
const replacements = {
  // The server's package.json is not part of an installed package.
  "packages/server/dist/version.js": () => {
    const { version } = JSON.parse(readFileSync(`${root}packages/server/package.json`, "utf8"));
    return `export const version = ${JSON.stringify(version)};`;
  },
  // A script loaded from the V8 code cache cannot use `import()`, so bundle.cjs does it.
  "packages/connectors/dist/clients/import-module.js": () => "export const importModule = (url) => importOutside(url);",
};
const pathOf = (id) => relative(root, id).replaceAll("\\", "/");
const replacedModules = { name: "replaced-modules", load: (id) => replacements[pathOf(id)]?.() };

/** Modules that few runtimes need but every start would initialize. They export functions and are initialized on the first call. */
const lazyModules = new Set([
  "node_modules/fflate/esm/index.mjs",
  "packages/cli/dist/files/flow-params.js",
  "packages/connectors/dist/cron/cron-schedule.js",
  "packages/engine/dist/values/linear-regexp.js",
  "packages/server/dist/trial/try-flow.js",
  "packages/standard/dist/formats/deflater/deflate.js",
  "packages/standard/dist/formats/deflater/inflate.js",
  "packages/standard/dist/languages/groovy/groovy-compiler.js",
  "packages/standard/dist/languages/groovy/groovy-parser.js",
  "packages/standard/dist/languages/jq/jq-program.js",
  "packages/standard/dist/languages/jsonata/jsonata-program.js",
  "packages/standard/dist/languages/simple/functions/html.js",
  "packages/standard/dist/xml/query/compile-query.js",
]);
const isLazy = (path) => lazyModules.has(pathOf(path));

/**
 * Large packages that few runtimes need. Each becomes a separate file, because a start reads the whole text of the bundle, and its code cache has an
 * entry for every function, including those that are never called.
 */
const separate = ["@fastify/busboy", "croner", "fast-check", "fflate", "fontoxpath", "jsonata", "re2js", "undici"];
const packageOf = (path) => separate.find((name) => pathOf(path).includes(`node_modules/${name}/`));
const separateFile = (name) => `${name.replace(/^@.*\//, "")}.cjs`;
/** Entry file of each separate package. */
const entries = new Map();

/** The names of a module's exports. */
const exportsOf = async (path) => Object.keys(await import(pathToFileURL(path).href)).filter((name) => name !== "default" && name !== "module.exports");

const lazyLoading = {
  name: "lazy-loading",
  async resolveId(source, importer) {
    if (importer === undefined) return undefined;
    if (importer.startsWith(separateMark)) return { id: source, external: true };
    const found = await this.resolve(source, importer, { skipSelf: true });
    if (found === null) return undefined;
    if (isLazy(found.id) && !importer.startsWith(lazyMark) && !isLazy(importer)) return `${lazyMark}${found.id}`;
    const name = packageOf(found.id);
    if (name === undefined || name === packageOf(importer)) return undefined;
    entries.set(name, found.id);
    return `${separateMark}${name}`;
  },
  async load(id) {
    if (id.startsWith(lazyMark)) {
      const path = id.slice(lazyMark.length);
      return (await exportsOf(path)).map((name) => `export const ${name} = (...args) => require(${JSON.stringify(path)}).${name}(...args);`).join("\n");
    }
    if (!id.startsWith(separateMark)) return undefined;
    const name = id.slice(separateMark.length);
    const names = await exportsOf(entries.get(name));
    return [
      `const loaded = require(${JSON.stringify(`./${separateFile(name)}`)});`,
      "export default loaded.default ?? loaded;",
      ...names.map((exported) => `export const ${exported} = loaded.${exported};`),
    ].join("\n");
  },
};

/** The text of a module with everything that it imports. */
async function bundleOf(options) {
  // Without `tsconfig: false` a faulty tsconfig.json in any folder above the checkout would fail the build.
  const bundle = await rolldown({ platform: "node", logLevel: "silent", tsconfig: false, ...options });
  const { output } = await bundle.generate({
    format: "cjs",
    codeSplitting: false,
    dynamicImportInCjs: false,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  return output[0].code;
}

/** Escapes all characters beyond ASCII, because V8 reads a file of ASCII characters without converting it. */
const ascii = (text) => text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

const inputs = `${hashOfInputs()}\n${stampOfInputs()}`;
const command = await bundleOf({
  input: `${root}packages/cli/dist/bundle.js`,
  external: [/^@photostructure\//, /^@jitl\//, /^quickjs-/],
  plugins: [lazyLoading, replacedModules],
});
const packages = await Promise.all([...entries].map(async ([name, input]) => [separateFile(name), await bundleOf({ input })]));
mkdirSync(folder, { recursive: true });
// Removed first: an interrupted bundling leaves no record of its inputs, and the command then runs from its modules.
rmSync(inputsFile, { force: true });
const text = `(function (exports, require, module, __filename, __dirname, importOutside) {${ascii(command)}\n})`;
writeFileSync(`${file}.next`, `/*${createHash("sha256").update(text).digest("hex").slice(0, 16)}*/${text}`);
for (const name of readdirSync(folder)) if (name.endsWith(".cache")) rmSync(join(folder, name));
for (const [name, code] of packages) writeFileSync(join(folder, name), code);
renameSync(`${file}.next`, file);
writeFileSync(inputsFile, inputs);

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

// Starts the runtime and runs a flow once to fill the code cache; without the cache, starting is slower but still correct.
const data = mkdtempSync(join(tmpdir(), "sluice-bundle-"));
const cacheRun = spawnSync(process.execPath, [fileURLToPath(new URL("bundle-cache.cjs", import.meta.url)), "run"], {
  env: { ...process.env, SERVICE_PORT: await freePort(), SERVICE_HOST: "127.0.0.1", SERVICE_DATA_DIR: data, SERVICE_DEPLOY_TOKEN: "bundle" },
  stdio: ["ignore", "ignore", "inherit"],
  timeout: 60_000,
});
rmSync(data, { recursive: true, force: true });
if (cacheRun.status !== 0) console.error("The start-up cache could not be created; starting will take slightly longer.");
