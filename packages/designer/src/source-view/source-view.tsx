import { useEffect, useRef } from "react";
import { useEditor } from "../editor/editor-context.ts";
import { strings } from "../strings.ts";
import { useStepMessage } from "../trial/step-message.tsx";
import { mountCodeEditor } from "./code-editor.ts";
import "./source-view.css";

/** The YAML of the open flow in the source editor. */
export function SourceView() {
  const editor = useEditor();
  const host = useRef<HTMLDivElement>(null);
  const { before } = useStepMessage();
  const latest = useRef(before);
  latest.current = before;
  useEffect(
    () => (host.current === null ? undefined : mountCodeEditor(host.current, editor, { label: strings.editor.source, message: () => latest.current })),
    [editor],
  );
  return <div className="source" ref={host} />;
}
