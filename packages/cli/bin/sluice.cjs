#!/usr/bin/env node
// A file that exists before the build, so that installing the workspace can link the command. It is no module: getting ready to load
// modules takes Node longer than reading the bundle.
const { isCurrent, runBundle } = require("./bundle.cjs");

if (isCurrent()) runBundle();
else void import("../dist/main.js");
