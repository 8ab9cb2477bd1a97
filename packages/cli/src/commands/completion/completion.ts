import type { CommandDeclaration } from "../../command/declaration.ts";

export const completion: CommandDeclaration = {
  name: "completion",
  summary: "Print the completion script for a shell.",
  arguments: [{ name: "shell", doc: "bash, zsh or fish.", required: true, values: ["bash", "zsh", "fish"] }],
  examples: [{ doc: "Enable completion in the current Bash session", command: "source <(sluice completion bash)" }],
  exits: { 0: "printed", 2: "unknown shell" },
  load: () => import("./run-completion.ts"),
};
