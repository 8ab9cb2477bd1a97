// Adds a step that stores a value of the message in a variable, before or after the selected step.
import { insertStepsAt, positionAfterSelection } from "../commands/insert-step.ts";
import { runCommand } from "../commands/run-command.ts";
import type { Editor } from "../document/editor.ts";
import { selectedStep } from "../document/open-flow.ts";
import { strings } from "../strings.ts";
import type { DataPath, MessageData } from "./message-data.ts";
import { pathText } from "./path-text.ts";

/** False when no expression can read the value, or no step can be inserted. */
export function extractVariable(editor: Editor, path: DataPath, data: MessageData, side: "before" | "after"): boolean {
  const expression = pathText("simple", path, data);
  const step = selectedStep(editor.flow);
  const position = side === "before" && step !== undefined ? { listPath: step.listPath, index: step.index } : positionAfterSelection(editor.flow);
  if (expression === undefined || position === undefined) return false;
  const yaml = `setVariable:\n  name: ${JSON.stringify(variableName(path))}\n  simple: ${JSON.stringify(expression)}\n`;
  return runCommand(editor, insertStepsAt(strings.data.extract, [yaml], position), "command");
}

function variableName({ root, names }: DataPath): string {
  const last = names.findLast((name) => typeof name === "string") ?? root;
  return (
    String(last)
      .replaceAll(/[^\w]+/g, "-")
      .replaceAll(/^-+|-+$/g, "") || root
  );
}
