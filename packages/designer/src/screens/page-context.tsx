// What screens and the shell share: the open editor, so that keys and the palette reach it.
import { createContext, useContext, useEffect } from "react";
import type { EditorHandle } from "../commands/command.ts";

export interface ShellLink {
  setEditor(editor: EditorHandle | undefined): void;
  openPalette(): void;
  openShortcuts(): void;
}

export const ShellContext = createContext<ShellLink>({ setEditor: () => undefined, openPalette: () => undefined, openShortcuts: () => undefined });

export const useShell = (): ShellLink => useContext(ShellContext);

/** Makes the open editor known to the shell for as long as it is shown. */
export function useEditorHandle(editor: EditorHandle): void {
  const { setEditor } = useShell();
  useEffect(() => {
    setEditor(editor);
    return () => setEditor(undefined);
  }, [editor, setEditor]);
}

/** The name of the screen in the window's title. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
}
