import { createContext, useContext } from "react";
import { useStore } from "zustand";
import type { Editor, EditorState } from "../document/editor.ts";

export const EditorContext = createContext<Editor | undefined>(undefined);

/** The open editor, for all components inside it. */
export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (editor === undefined) throw new Error("useEditor must be called inside an EditorContext");
  return editor;
}

/** A part of the editor's state; re-renders only when that part changes. */
export function useEditorState<T>(pick: (state: EditorState) => T): T {
  return useStore(useEditor().store, pick);
}
