import { Command } from "commander";
import { runCommand } from "./run-command.ts";
import { startCommand } from "./start-command.ts";

const program = new Command("sluice").description("The integration runtime.").showHelpAfterError();
program.addCommand(startCommand());
program.addCommand(runCommand());
await program.parseAsync();
