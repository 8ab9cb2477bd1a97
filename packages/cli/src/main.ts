import { Command } from "commander";
import { designerCommand } from "./designer-command.ts";
import { runCommand } from "./run-command.ts";
import { startCommand } from "./start-command.ts";

const program = new Command("sluice").description("The integration runtime.").showHelpAfterError();
program.addCommand(startCommand());
program.addCommand(runCommand());
program.addCommand(designerCommand());
await program.parseAsync();
