#!/usr/bin/env node
// The entry file of the command. It is not built, so that installing the workspace can link the command before the first build. It is CommonJS
// because preparing to load ES modules takes Node longer than reading the bundle.
const { isCurrent, writeCacheLater, loadBundle } = require("./bundle.cjs");

if (isCurrent()) {
  const bundle = loadBundle();
  void bundle.exports.runCommand();
  if (process.argv[2] === "run" || process.argv[2] === "worker") writeCacheLater(bundle);
} else void import("../dist/main.js");
