import { useState } from "react";
import { currentCatalog } from "../../catalog/use-catalog.ts";
import { writeIds } from "../../commands/write-ids.ts";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog.tsx";
import { Field } from "../../controls/field.tsx";
import { TextAreaField } from "../../controls/text-area-field.tsx";
import { useEditor } from "../../editor/editor-context.ts";
import { strings } from "../../strings.ts";
import { bodyText } from "../../trial/message-text.ts";
import { headersOf, headerText } from "../../trial/sample-draft.ts";
import { responseKey, type TrialStep } from "../../trial/trial.ts";
import { useTrial } from "../../trial/trial-context.ts";

const labels = strings.trial;

/** The mock response of a step that calls an external system, in this page only. */
export function ResponseDialog({ step, onClose }: { readonly step: TrialStep; readonly onClose: () => void }) {
  const editor = useEditor();
  const trial = useTrial();
  const key = responseKey(step.routeId, step.stepId);
  const existing = trial.store.getState().responses[key];
  const [status, setStatus] = useState(String(existing?.status ?? ""));
  const [headers, setHeaders] = useState(headerText(existing?.headers ?? {}));
  const [body, setBody] = useState(existing === undefined ? '{"ok": true}' : bodyText(existing.body));
  const save = (): void => {
    const code = Number(status);
    const written = writeIds(editor.flow, [step], currentCatalog());
    if (written !== undefined && editor.edit(written.edit, strings.saveTest.ids([...written.ids.values()]), "command"))
      editor.showNotice({ kind: "info", text: strings.saveTest.ids([...written.ids.values()]) });
    trial.setResponse(responseKey(step.routeId, written?.ids.get(key) ?? step.stepId), {
      status: status !== "" && code >= 100 && code <= 599 ? code : undefined,
      headers: headersOf(headers),
      body: dataOf(body),
      origin: "typed",
    });
    onClose();
  };
  return (
    <Dialog
      title={labels.responseOf(step.stepId)}
      onClose={onClose}
      onSubmit={save}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          {existing === undefined ? null : (
            <Button
              onClick={() => {
                trial.setResponse(key, undefined);
                onClose();
              }}
            >
              {labels.removeResponse}
            </Button>
          )}
          <Button type="submit" variant="primary">
            {labels.useResponse}
          </Button>
        </>
      }
    >
      <p className="muted">{labels.responseText}</p>
      <Field label={labels.responseStatus}>
        {(control) => (
          <input {...control} className="input" type="number" min={100} max={599} value={status} onChange={(event) => setStatus(event.target.value)} />
        )}
      </Field>
      <TextAreaField label={strings.tryIt.headers} hint={strings.tryIt.headersHint} rows={2} value={headers} onChange={setHeaders} />
      <TextAreaField label={strings.tryIt.body} rows={8} value={body} onChange={setBody} />
    </Dialog>
  );
}

/** JSON becomes data, anything else text. */
function dataOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
