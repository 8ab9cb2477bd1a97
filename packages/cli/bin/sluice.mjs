#!/usr/bin/env node
// A file that exists before the build, so that installing the workspace can link the command.
import { isCurrent, runBundle } from "./bundle.cjs";

if (isCurrent()) runBundle();
else await import("../dist/main.js");
