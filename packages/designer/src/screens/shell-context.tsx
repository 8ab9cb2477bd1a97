// Shared by the screens and the shell: the open editor, so that shortcuts and the palette can use it.
import { createContext, useContext, useEffect } from "react";
import type { EditorHandle } from "../commands/command.ts";

export interface ShellActions {
  setEditor(editor: EditorHandle | undefined): void;
  openPalette(): void;
  openShortcuts(): void;
}

export const ShellContext = createContext<ShellActions>({ setEditor: () => undefined, openPalette: () => undefined, openShortcuts: () => undefined });

export const useShell = (): ShellActions => useContext(ShellContext);

/** Registers the open editor with the shell while it is shown. */
export function useEditorHandle(editor: EditorHandle): void {
  const { setEditor } = useShell();
  useEffect(() => {
    setEditor(editor);
    return () => setEditor(undefined);
  }, [editor, setEditor]);
}

/** Sets the window title to the name of the screen. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
}
