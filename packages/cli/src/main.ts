#!/usr/bin/env node
import { Command } from "commander";
import { runCommand } from "./run-command.ts";

const program = new Command("sluice").description("The integration runtime.").showHelpAfterError();
program.addCommand(runCommand());
await program.parseAsync();
