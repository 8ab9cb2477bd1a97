import type { Editor } from "../document/editor.ts";
import type { Origin } from "../document/history.ts";
import type { DocumentCommand } from "./command.ts";

/** Applies a command to the open flow; false when it does not apply to the selection or was rejected. */
export function runCommand(editor: Editor, command: DocumentCommand, origin: Origin): boolean {
  const result = command.apply(editor.flow);
  if (result === undefined) return false;
  return editor.edit(result.edit, command.title, origin, result.select, result.anchor === undefined ? {} : { anchor: result.anchor });
}
