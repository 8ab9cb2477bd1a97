// Loaded before the runtime: simulates a machine on which neither Node nor a package has SQLite.
const fs = require("node:fs");
const Module = require("node:module");

const { existsSync } = fs;
fs.existsSync = (path) => !/@photostructure[/\\]sqlite/.test(String(path)) && existsSync(path);
const { isBuiltin } = Module;
Module.isBuiltin = (name) => name !== "node:sqlite" && isBuiltin(name);
Module.syncBuiltinESMExports();
