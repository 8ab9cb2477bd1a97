import { useEffect, useState } from "react";
import { Link } from "wouter";
import { EmptyState } from "../../controls/empty-state.tsx";
import type { Editor } from "../../document/editor.ts";
import { strings } from "../../strings.ts";
import { EditorContext } from "../../editor/editor-context.ts";
import { EditorFrame } from "./editor-frame.tsx";
import { storeUnsavedWork, openEditor } from "./open-editors.ts";

const draftIntervalMs = 5000;
/** Short enough that another tab shows a saved change within 2 s. */
const diskPollMs = 1000;

type Opened = { readonly editor: Editor } | { readonly missing: true } | { readonly error: string };

export function EditorScreen({ id, runId }: { readonly id: string; readonly runId?: string }) {
  const [opened, setOpened] = useState<Opened | undefined>(undefined);
  useEffect(() => {
    let current = true;
    openEditor(id).then(
      (editor) => current && setOpened(editor === undefined ? { missing: true } : { editor }),
      (error: Error) => current && setOpened({ error: error.message }),
    );
    return () => {
      current = false;
    };
  }, [id]);
  if (opened === undefined) return <p className="screen muted">{strings.editor.loading}</p>;
  if ("editor" in opened) {
    return (
      <EditorContext.Provider value={opened.editor}>
        <EditorBackgroundTasks editor={opened.editor} />
        <EditorFrame runId={runId} />
      </EditorContext.Provider>
    );
  }
  return (
    <EmptyState {...("error" in opened ? { title: opened.error } : { title: strings.editor.notFound, text: strings.editor.notFoundText })}>
      <Link href="/flows">{strings.editor.backToFlows}</Link>
    </EmptyState>
  );
}

/** Saves drafts, checks the disk, and warns before the page is closed with unsaved changes. */
function EditorBackgroundTasks({ editor }: { readonly editor: Editor }) {
  useEffect(() => {
    const drafting = setInterval(() => editor.storeDraft(), draftIntervalMs);
    const watching = setInterval(() => {
      if (document.visibilityState === "visible") void editor.watchDisk();
    }, diskPollMs);
    const onLeave = (event: BeforeUnloadEvent): void => {
      if (storeUnsavedWork()) event.preventDefault();
    };
    const onFocus = (): void => void editor.watchDisk();
    window.addEventListener("beforeunload", onLeave);
    window.addEventListener("focus", onFocus);
    return () => {
      clearInterval(drafting);
      clearInterval(watching);
      window.removeEventListener("beforeunload", onLeave);
      window.removeEventListener("focus", onFocus);
      editor.storeDraft();
    };
  }, [editor]);
  return null;
}
