// Every command, in the order of the help.
import type { CommandDeclaration } from "../command/declaration.ts";
import { designer } from "./designer/designer.ts";
import { lint } from "./lint/lint.ts";
import { run } from "./run/run.ts";
import { start } from "./start/start.ts";
import { test } from "./test/test.ts";

export const commands: readonly CommandDeclaration[] = [start, run, designer, lint, test];
