import { useEffect, useRef } from "react";
import { useEditor } from "../editor/editor-context.ts";
import { strings } from "../strings.ts";
import { mountCodeEditor } from "./code-editor.ts";
import "./source-view.css";

/** The YAML of the open flow in the source editor. */
export function SourceView() {
  const editor = useEditor();
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => (host.current === null ? undefined : mountCodeEditor(host.current, editor, strings.editor.source)), [editor]);
  return <div className="source" ref={host} />;
}
