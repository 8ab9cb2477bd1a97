// Puts the command into one file and keeps the code V8 compiles for a start beside it (see packages/cli/bin/bundle.cjs).
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = `${root}packages/cli/dist/bundle`;
const file = `${folder}/sluice.cjs`;
const onCallMark = "\0on-call:";

/** In one file every module would have the same address; this keeps their own, for the files that stand beside them. */
const ownAddresses = {
  name: "own-addresses",
  transform(code, id) {
    if (!code.includes("import.meta.url")) return undefined;
    const path = JSON.stringify(relative(folder, id).replaceAll("\\", "/"));
    return code.replaceAll("import.meta.url", `moduleUrl(${path})`);
  },
};

/** The YAML library asks for these variables at every token, which takes longer than reading it. */
const noTokenLog = {
  name: "no-token-log",
  transform: (code) => (/process\.env\.LOG_(TOKENS|STREAM)/.test(code) ? code.replaceAll(/\w*process\.env\.LOG_(TOKENS|STREAM)/g, "false") : undefined),
};

/** What stays outside is imported for the bundle: code that comes out of V8's cache can no longer import anything by itself. */
const outsideImports = {
  name: "outside-imports",
  transform(code) {
    const dynamic = /\bimport\((?=\s*(?:[^"'`\s]|["'`](?:quickjs-|@jitl\/)))/g;
    return dynamic.test(code) ? code.replaceAll(dynamic, "importModule(") : undefined;
  },
};

/** Modules few runtimes need but every start would set up. They export functions, and are set up when one of these is called. */
const onCall = new Set([
  "node_modules/fflate/esm/index.mjs",
  "packages/cli/dist/files/flow-params.js",
  "packages/server/dist/trial/try-flow.js",
  "packages/standard/dist/formats/deflater/inflate.js",
  "packages/standard/dist/languages/jsonata/jsonata-program.js",
  "packages/standard/dist/xml/query/compile-query.js",
]);
const isOnCall = (path) => onCall.has(relative(root, path).replaceAll("\\", "/"));
const setUpOnCall = {
  name: "set-up-on-call",
  async resolveId(source, importer) {
    if (importer === undefined || importer.startsWith(onCallMark) || isOnCall(importer)) return undefined;
    const found = await this.resolve(source, importer, { skipSelf: true });
    return found !== null && isOnCall(found.id) ? `${onCallMark}${found.id}` : undefined;
  },
  async load(id) {
    if (!id.startsWith(onCallMark)) return undefined;
    const path = id.slice(onCallMark.length);
    const names = Object.keys(await import(pathToFileURL(path).href)).filter((name) => name !== "default");
    return names.map((name) => `export const ${name} = (...given) => require(${JSON.stringify(path)}).${name}(...given);`).join("\n");
  },
};

/** One byte a character: V8 reads such a file without converting it. */
const ascii = (text) => text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

const bundle = await rolldown({
  input: `${root}packages/cli/dist/main.js`,
  platform: "node",
  external: [/^@photostructure\//, /^@jitl\//, /^quickjs-/],
  plugins: [setUpOnCall, ownAddresses, outsideImports, noTokenLog],
  logLevel: "silent",
});
const { output } = await bundle.generate({
  format: "cjs",
  codeSplitting: false,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
});
await bundle.close();
mkdirSync(dirname(file), { recursive: true });
writeFileSync(`${file}.next`, `(function (exports, require, module, __filename, __dirname, moduleUrl, importModule) {${ascii(output[0].code)}\n})`);
// V8 knows a text again by its length alone: a cache must never meet another bundle than its own.
for (const name of readdirSync(folder)) if (name.endsWith(".cache")) rmSync(join(folder, name));
renameSync(`${file}.next`, file);

// A start and a first flow are run once so that what they compile is in the cache; a cache that cannot be made costs time, not correctness.
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

const data = mkdtempSync(join(tmpdir(), "sluice-bundle-"));
const made = spawnSync(process.execPath, [fileURLToPath(new URL("bundle-cache.cjs", import.meta.url)), "run"], {
  env: { ...process.env, SERVICE_PORT: await freePort(), SERVICE_HOST: "127.0.0.1", SERVICE_DATA_DIR: data, SERVICE_DEPLOY_TOKEN: "bundle" },
  stdio: ["ignore", "ignore", "inherit"],
  timeout: 60_000,
});
rmSync(data, { recursive: true, force: true });
if (made.status !== 0) console.error("The start-up cache could not be made; starting will take a little longer.");
