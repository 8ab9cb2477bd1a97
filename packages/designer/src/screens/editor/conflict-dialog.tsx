import { useMemo, useState } from "react";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog.tsx";
import { DiffView } from "../../controls/diff-view.tsx";
import type { EditConflict } from "../../document/editor.ts";
import { mergedText, mergeLines, type Conflict } from "../../document/line-merge.ts";
import { strings } from "../../strings.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { useEditor, useEditorState } from "../../editor/editor-context.ts";

const text = strings.conflict;

/** Shows what each choice would discard and lets the user decide. Closing it changes nothing. */
export function ConflictDialog() {
  const conflict = useEditorState((state) => state.conflict);
  if (conflict === undefined) return null;
  return conflict.kind === "file" ? <FileConflict conflict={conflict} /> : <DeploymentConflict conflict={conflict} />;
}

function FileConflict({ conflict }: { readonly conflict: Extract<EditConflict, { kind: "file" }> }) {
  const editor = useEditor();
  const mine = useEditorState((state) => state.flow.text);
  const [comparison, setComparison] = useState<"diskToMine" | "baseToDisk" | "baseToMine">("diskToMine");
  const { disk, base = "", during } = conflict;
  const parts = useMemo(() => (disk === null ? [] : mergeLines(base, mine, disk.text)), [base, mine, disk]);
  const conflicts = parts.filter((part) => part.kind === "conflict");
  const [choices, setChoices] = useState<readonly ("mine" | "theirs" | undefined)[]>([]);
  const isResolved = conflicts.every((_, index) => choices[index] !== undefined);
  const merged = mergedText(parts, choices);
  const target = useWorkspace((state) => state.target);
  const overwrite = (): void => {
    editor.dismiss();
    const replacing = disk?.hash ?? null;
    void (during === "deploy" ? editor.deploy(target ?? null, null, replacing) : editor.save(replacing));
  };
  const saveMerged = (): void => {
    editor.dismiss();
    editor.replaceText(merged, text.saveMerged);
    const replacing = disk?.hash ?? null;
    void (during === "deploy" ? editor.deploy(target ?? null, null, replacing) : editor.save(replacing));
  };
  const versions = { diskToMine: [disk?.text ?? "", mine], baseToDisk: [base, disk?.text ?? ""], baseToMine: [base, mine] } as const;
  return (
    <Dialog
      wide
      title={text.fileTitle}
      onClose={() => editor.dismiss()}
      actions={
        <>
          <Button onClick={() => editor.dismiss()}>{strings.common.cancel}</Button>
          {disk === null ? null : <Button onClick={() => editor.loadFromDisk()}>{text.loadFromDisk}</Button>}
          <Button variant={disk === null ? "primary" : "plain"} onClick={overwrite}>
            {disk === null ? text.recreate : text.keepMine}
          </Button>
          {disk === null ? null : (
            <Button variant="primary" disabled={!isResolved} title={isResolved ? undefined : text.undecided} onClick={saveMerged}>
              {text.saveMerged}
            </Button>
          )}
        </>
      }
    >
      <p>{disk === null ? text.removedText : text.fileText}</p>
      {disk === null ? null : (
        <>
          <div className="segments" role="group" aria-label={text.compare}>
            {(["diskToMine", "baseToDisk", "baseToMine"] as const).map((name) => (
              <Button key={name} aria-pressed={comparison === name} onClick={() => setComparison(name)}>
                {text[name]}
              </Button>
            ))}
          </div>
          <DiffView before={versions[comparison][0]} after={versions[comparison][1]} label={text[comparison]} />
          <p aria-live="polite">{conflicts.length === 0 ? text.noConflicts : text.conflicts(conflicts.length)}</p>
          {conflicts.map((conflict, index) => (
            <ConflictChoice
              key={index}
              conflict={conflict}
              number={index + 1}
              choice={choices[index]}
              onChoice={(choice) => setChoices(conflicts.map((_, at) => (at === index ? choice : choices[at])))}
            />
          ))}
        </>
      )}
    </Dialog>
  );
}

interface ConflictChoiceProps {
  readonly conflict: Conflict;
  readonly number: number;
  readonly choice: "mine" | "theirs" | undefined;
  readonly onChoice: (choice: "mine" | "theirs") => void;
}

/** Lines that were changed on both sides: the user chooses one side. */
function ConflictChoice({ conflict, number, choice, onChoice }: ConflictChoiceProps) {
  return (
    <fieldset className="merge">
      <legend>{text.conflict(number)}</legend>
      {(["mine", "theirs"] as const).map((side) => (
        <label key={side} className="merge__side">
          <input type="radio" checked={choice === side} onChange={() => onChoice(side)} />
          <span>{text.sides[side]}</span>
          <pre>{conflict[side].length === 0 ? text.nothing : conflict[side].join("\n")}</pre>
        </label>
      ))}
    </fieldset>
  );
}

function DeploymentConflict({ conflict }: { readonly conflict: Extract<EditConflict, { kind: "deployment" }> }) {
  const editor = useEditor();
  const mine = useEditorState((state) => state.flow.text);
  const { deployed, target } = conflict;
  const { loadRuntime } = useWorkspace.getState();
  return (
    <Dialog
      wide
      title={text.deploymentTitle}
      onClose={() => editor.dismiss()}
      actions={
        <>
          <Button onClick={() => editor.dismiss()}>{strings.common.cancel}</Button>
          <Button
            variant="primary"
            onClick={() => {
              editor.dismiss();
              if (deployed !== undefined) editor.replaceText(deployed.text, text.loadDeployed);
            }}
          >
            {text.loadDeployed}
          </Button>
          <Button
            onClick={() => {
              editor.dismiss();
              void editor.deploy(target, deployed?.hash ?? null).then(loadRuntime);
            }}
          >
            {text.overwrite}
          </Button>
        </>
      }
    >
      <p>{text.deploymentText}</p>
      <DiffView before={deployed?.text ?? ""} after={mine} label={strings.diff.label} />
    </Dialog>
  );
}
