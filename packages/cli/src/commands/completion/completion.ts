import type { CommandDeclaration } from "../../command/declaration.ts";

export const completion: CommandDeclaration = {
  name: "completion",
  summary: "Print the completion script of a shell.",
  arguments: [{ name: "shell", doc: "bash, zsh or fish.", required: true, values: ["bash", "zsh", "fish"] }],
  examples: [{ doc: "Complete in this bash from now on", command: "source <(sluice completion bash)" }],
  exits: { 0: "printed", 2: "no such shell" },
  load: () => import("./run-completion.ts"),
};
