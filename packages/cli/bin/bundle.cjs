// Loads the whole command from one file together with its V8 code cache, so that a start neither resolves nor compiles a thousand modules. V8 rejects a
// code cache from another V8 version; the bundle is then compiled as usual.
const { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname, join } = require("node:path");
const { Script } = require("node:vm");

const file = join(__dirname, "..", "dist", "bundle", "sluice.cjs");
const inputsFile = join(dirname(file), "inputs");
/** The bundle begins with a comment of this length that contains its own hash. */
const hashCommentLength = "/*0123456789abcdef*/".length;
/** Delay before the cache is written, which blocks the event loop for a few milliseconds: a service has finished starting by then. */
const cacheDelayMs = 3_000;

/** Compiler output of the packages in the bundle. */
const compiled = [
  "client/dist",
  "model/dist",
  "engine/dist",
  "standard/dist",
  "mapping/dist",
  "connectors/dist",
  "flow-tests/dist",
  "server/dist",
  "designer/dist/server",
  "cli/dist",
];

/** The compiler's build records, which contain the hash of every source file. */
const records = compiled.map((folder) => join(__dirname, "..", "..", folder, ".tsbuildinfo"));

function hashOfInputs() {
  const { createHash } = require("node:crypto");
  const hash = createHash("sha256");
  for (const record of records) hash.update(readFileSync(record));
  return hash.digest("hex");
}

/** Sizes and times of the records: if they are unchanged, the records need not be read, which would make the start about a tenth slower. */
function stampOfInputs() {
  return records
    .map((record) => statSync(record))
    .map(({ size, mtimeMs }) => `${size} ${mtimeMs}`)
    .join("\n");
}

/** Whether the bundle can be used. Only a development checkout can have a stale one: there, the content of the inputs decides. */
function isCurrent() {
  if (!existsSync(join(__dirname, "..", "src"))) return true;
  try {
    const [hash, ...stamp] = readFileSync(inputsFile, "utf8").split("\n");
    return existsSync(file) && (stamp.join("\n") === stampOfInputs() || hash === hashOfInputs());
  } catch {
    return false;
  }
}

/** Performs the dynamic imports of the bundle, because a script from the code cache cannot use `import()` itself. */
const importOutside = (url) => import(url);

/** The name contains the bundle's hash, because V8 itself compares only the length of the text. */
function cacheFileOf(text) {
  return `${file}.${text.slice(2, hashCommentLength - 2)}.${process.versions.v8}-${process.arch}.cache`;
}

/** Runs the bundle once; `writeCache` writes the code that V8 has compiled so far. */
function loadBundle() {
  const text = readFileSync(file, "latin1");
  const cache = cacheFileOf(text);
  const cachedData = existsSync(cache) ? readFileSync(cache) : undefined;
  const script = new Script(text, { filename: file, cachedData });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file), importOutside);
  return {
    exports: module.exports,
    hasCache: cachedData !== undefined && !script.cachedDataRejected,
    writeCache: () => replaceFile(cache, script.createCachedData()),
  };
}

/** Several processes may do this at the same time: each writes a separate temporary file and renames it. */
function replaceFile(path, bytes) {
  const next = `${path}.${process.pid}.next`;
  try {
    writeFileSync(next, bytes);
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/** Creates the code cache for the next start, if this version of Node has none and the folder is writable. Without it, starts are slower. */
function writeCacheLater({ hasCache, writeCache }) {
  if (hasCache) return;
  setTimeout(() => {
    try {
      writeCache();
    } catch {
      // A read-only installation.
    }
  }, cacheDelayMs).unref();
}

module.exports = { file, hashOfInputs, inputsFile, stampOfInputs, isCurrent, writeCacheLater, loadBundle };
