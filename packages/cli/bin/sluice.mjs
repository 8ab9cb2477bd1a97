#!/usr/bin/env node
// A file that exists before the build, so that installing the workspace can link the command.
import "../dist/main.js";
