// Writes form input into the text. All typing in a field until it loses focus is one change, recomputed from the text before it. Typing and
// reverting therefore leaves no undo entry, and quotes match the final value.
import { useMemo, useRef } from "react";
import type { Edit } from "@sluice/model";
import { difference } from "../document/history.ts";
import { useEditor } from "../editor/editor-context.ts";

export interface FormWriter {
  /** A single change. */
  write(label: string, change: (source: string) => Edit): boolean;
  /** A change that is merged with others of the same group. */
  writeGrouped(group: string, label: string, change: (source: string) => Edit): boolean;
}

export function useFormWriter(): FormWriter {
  const editor = useEditor();
  const last = useRef<{ readonly group: string; readonly base: string; readonly result: string } | undefined>(undefined);
  return useMemo(
    () => ({
      write: (label, change) => editor.edit(change(editor.flow.text), label, "form"),
      writeGrouped(group, label, change) {
        const { text } = editor.flow;
        const base = last.current?.group === group && last.current.result === text ? last.current.base : text;
        const edit = change(base);
        if (!edit.ok) return editor.edit(edit, label, "form");
        editor.splice(difference(text, edit.source), label, "form", undefined, { group });
        last.current = { group, base, result: edit.source };
        return true;
      },
    }),
    [editor],
  );
}

let groupCount = 0;

/** A new group, for all typing until the focus moves. */
export const nextGroup = (): string => `form-${++groupCount}`;
