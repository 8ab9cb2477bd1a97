import { useId, useRef, useState } from "react";
import { itemText, readTree, replaceItem, valueText } from "@sluice/model";
import { difference } from "../document/history.ts";
import { isBroken, type OpenFlow } from "../document/open-flow.ts";
import { useEditor } from "../editor/editor-context.ts";
import { strings } from "../strings.ts";
import type { FormTarget } from "./form-target.ts";
import { nextGroup } from "./use-form-writer.ts";

const labels = strings.inspector;

/** The selected step as YAML; valid input is applied immediately. */
export function YamlTab({ flow, target }: { readonly flow: OpenFlow; readonly target: FormTarget }) {
  const editor = useEditor();
  const id = useId();
  const session = useRef({ group: "", base: "" });
  const [draft, setDraft] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const text = flow.lastValid?.text ?? "";
  const path = target.key.split("/").map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const written = (target.item === undefined ? valueText(text, path) : itemText(text, target.item.listPath, target.item.index)) ?? "";
  const change = (yaml: string): void => {
    setDraft(yaml);
    const { tree, diagnostics } = readTree(yaml);
    if (target.item === undefined || tree === undefined) return setProblem(diagnostics[0]?.message ?? "");
    const edit = replaceItem(session.current.base, target.item.listPath, target.item.index, yaml);
    if (!edit.ok) return setProblem(edit.reason);
    setProblem(undefined);
    editor.splice(difference(editor.flow.text, edit.source), labels.changed(labels.yamlTab), "form", undefined, { group: session.current.group });
  };
  return (
    <div className="field yaml-tab">
      <label className="field__label" htmlFor={id}>
        {labels.yamlLabel}
      </label>
      <textarea
        id={id}
        className="input input--mono"
        aria-describedby={`${id}-hint`}
        readOnly={target.item === undefined || isBroken(flow)}
        rows={Math.min(30, Math.max(6, (draft ?? written).split("\n").length + 1))}
        spellCheck={false}
        value={draft ?? written}
        onFocus={() => {
          session.current = { group: nextGroup(), base: editor.flow.text };
        }}
        onBlur={() => {
          setDraft(undefined);
          setProblem(undefined);
        }}
        onChange={(event) => change(event.target.value)}
      />
      <div className="field__hint" id={`${id}-hint`}>
        {labels.yamlHint}
      </div>
      {problem === undefined ? null : (
        <div className="field__error" role="alert">
          {labels.yamlBroken(problem)}
        </div>
      )}
    </div>
  );
}
