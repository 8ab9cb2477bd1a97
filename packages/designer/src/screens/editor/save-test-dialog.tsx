import { useMemo, useState } from "react";
import { stringify } from "yaml";
import { workspaceClient } from "../../api-client/workspace-client.ts";
import { currentCatalog } from "../../catalog/use-catalog.ts";
import { writeIds } from "../../commands/write-ids.ts";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog.tsx";
import { Field } from "../../controls/field.tsx";
import { unsavedChanges } from "../../document/open-flow.ts";
import { strings } from "../../strings.ts";
import { draftData, draftFileId, referencedSteps, withStepIds, type ProposedAssertion, type TestDraft } from "../../trial/test-draft.ts";
import { useTrial } from "../../trial/trial-context.ts";
import { useEditor, useEditorState } from "../../editor/editor-context.ts";

const labels = strings.saveTest;

/** Suggests a test from a run or trial; the user clears assertions that may differ between runs. */
export function SaveTestDialog({ draft, onClose }: { readonly draft: TestDraft; readonly onClose: () => void }) {
  const editor = useEditor();
  const trial = useTrial();
  const [name, setName] = useState(draft.name);
  const [selected, setSelected] = useState<readonly boolean[]>(() => draft.assertions.map(({ isSelectedByDefault }) => isSelectedByDefault));
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const flow = useEditorState((state) => state.flow);
  const written = useMemo(() => writeIds(flow, referencedSteps(draft, selected), currentCatalog()), [flow, draft, selected]);
  const draftWithIds = useMemo(() => (written === undefined ? draft : withStepIds(draft, written.ids)), [draft, written]);
  const text = useMemo(() => stringify(draftData({ ...draftWithIds, name: name.trim() }, selected), { lineWidth: 0 }), [draftWithIds, name, selected]);
  /** Writes the ids into the flow; saves it with the test unless it has other unsaved changes. */
  const writeStepIds = async (): Promise<boolean> => {
    if (written === undefined) return true;
    const hadChanges = unsavedChanges(flow) > 0;
    return editor.edit(written.edit, labels.ids([...written.ids.values()]), "command") && (hadChanges || (await editor.save()));
  };
  const save = async (): Promise<void> => {
    if (name.trim() === "") return setProblem(labels.nameMissing);
    if (!(await writeStepIds())) return setProblem(labels.idsFailed);
    const files = await trial.loadTests();
    const id = draftFileId({ name }, (candidate) => files.some((file) => file.id === candidate));
    try {
      await workspaceClient.saveTest(editor.id, id, text, null);
    } catch (error) {
      return setProblem((error as Error).message);
    }
    await trial.loadTests();
    editor.showNotice({ kind: "info", text: labels.saved(`tests/${editor.id}/${id}.test.yaml`) });
    onClose();
  };
  return (
    <Dialog
      wide
      title={labels.title}
      onClose={onClose}
      onSubmit={() => void save()}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" variant="primary">
            {labels.save}
          </Button>
        </>
      }
    >
      <p className="muted">{labels.text}</p>
      <Field label={labels.name} error={problem}>
        {(control) => <input {...control} className="input" maxLength={120} value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
      <fieldset className="save-test__assertions">
        <legend>{labels.assertions}</legend>
        {draftWithIds.assertions.map((assertion, index) => (
          <label key={index}>
            <input
              type="checkbox"
              checked={selected[index] === true}
              onChange={(event) => setSelected(selected.map((isSelected, at) => (at === index ? event.target.checked : isSelected)))}
            />
            {sentenceOf(assertion)}
          </label>
        ))}
      </fieldset>
      {written === undefined ? null : <p>{labels.ids([...written.ids.values()])}</p>}
      <h3>{labels.preview}</h3>
      <pre className="message__text" tabIndex={0} role="region" aria-label={labels.preview}>
        {text}
      </pre>
    </Dialog>
  );
}

function sentenceOf({ kind, value }: ProposedAssertion): string {
  if (kind === "status") return labels.status(String(value));
  if (kind === "replyStatus") return labels.replyStatus(Number(value));
  if (kind === "mockCalled") return labels.mockCalled(String(value));
  return kind === "visited" ? labels.visited(Number(value)) : labels.body;
}
