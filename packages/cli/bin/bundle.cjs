// Loads the whole command from one file together with the code V8 compiled for it when it was built: a start then neither
// looks for a thousand modules nor compiles them. A cache made by another Node is refused by V8 and costs nothing.
const { existsSync, readFileSync, statSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname, join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { Script } = require("node:vm");

const file = join(__dirname, "..", "dist", "bundle", "sluice.cjs");
const cache = `${file}.${process.versions.v8}.cache`;

/** Whether there is a bundle and it is no older than what the compiler wrote last. */
function isCurrent() {
  const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (made === undefined) return false;
  const packages = join(__dirname, "..", "..");
  const compiled = [
    "model/dist",
    "engine/dist",
    "standard/dist",
    "mapping/dist",
    "connectors/dist",
    "flow-tests/dist",
    "server/dist",
    "designer/dist/server",
    "cli/dist",
  ].map((folder) => statSync(join(packages, folder, ".tsbuildinfo"), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return made >= Math.max(...compiled);
}

/** The address a module had before it became part of the bundle. */
const moduleUrl = (path) => pathToFileURL(join(dirname(file), path)).href;

/** Stands for `import()` in the bundle: a script that comes out of the cache has none of its own. */
const importModule = (specifier) => import(specifier);

/** Runs the bundle; returns the script, of which a cache can be made once it has run. */
function runBundle() {
  const script = new Script(readFileSync(file, "latin1"), {
    filename: file,
    cachedData: existsSync(cache) ? readFileSync(cache) : undefined,
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file), moduleUrl, importModule);
  return script;
}

module.exports = { cache, isCurrent, runBundle };
