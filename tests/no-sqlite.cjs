// Loaded before the runtime: simulates a machine on which neither Node nor a package has SQLite.
const Module = require("node:module");

const isSqlite = (name) => name === "node:sqlite" || name === "@photostructure/sqlite";
for (const method of ["_load", "_resolveFilename"]) {
  const original = Module[method];
  Module[method] = function (name, ...rest) {
    if (isSqlite(name)) throw Object.assign(new Error(`Cannot find module '${name}'`), { code: "MODULE_NOT_FOUND" });
    return original.call(this, name, ...rest);
  };
}
