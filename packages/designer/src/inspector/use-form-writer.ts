// Writing from a form into the text. All that is typed into a field from focus to focus is one change, worked out anew from the
// text before it: typing and taking back leaves no trace, and quoting follows the final value.
import { useMemo, useRef } from "react";
import type { Edit } from "@sluice/model";
import { difference } from "../document/history.ts";
import { useEditor } from "../screens/editor/editor-context.ts";

export interface FormWriter {
  /** A single change. */
  write(label: string, change: (source: string) => Edit): boolean;
  /** A change that belongs to others with the same group. */
  typing(group: string, label: string, change: (source: string) => Edit): boolean;
}

export function useFormWriter(): FormWriter {
  const editor = useEditor();
  const last = useRef<{ readonly group: string; readonly base: string; readonly result: string } | undefined>(undefined);
  return useMemo(
    () => ({
      write: (label, change) => editor.edit(change(editor.flow.text), label, "form"),
      typing(group, label, change) {
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

let focuses = 0;

/** A name for all typing between two focuses. */
export const nextGroup = (): string => `form-${++focuses}`;
