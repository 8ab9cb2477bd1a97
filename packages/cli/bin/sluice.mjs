#!/usr/bin/env node
// A file that exists before the build, so that installing the workspace can link the command.
import bundle from "./bundle.cjs";

if (bundle.isCurrent()) bundle.runBundle();
else await import("../dist/main.js");
