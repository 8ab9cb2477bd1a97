import { useState } from "react";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog.tsx";
import { Field } from "../../controls/field.tsx";
import { strings } from "../../strings.ts";
import { bodyText } from "../../trial/message-text.ts";
import { headersOf, headerText } from "../../trial/sample-draft.ts";
import { answerKey, type TriedStep } from "../../trial/trial.ts";
import { useTrial } from "../../trial/trial-context.ts";

const words = strings.trial;

/** What a step that goes outside gets back in this page. */
export function AnswerDialog({ step, onClose }: { readonly step: TriedStep; readonly onClose: () => void }) {
  const trial = useTrial();
  const key = answerKey(step.routeId, step.stepId);
  const known = trial.store.getState().answers[key];
  const [status, setStatus] = useState(String(known?.status ?? ""));
  const [headers, setHeaders] = useState(headerText(known?.headers ?? {}));
  const [body, setBody] = useState(known === undefined ? '{"ok": true}' : bodyText(known.body));
  const keep = (): void => {
    const code = Number(status);
    trial.setAnswer(key, {
      status: status !== "" && code >= 100 && code <= 599 ? code : undefined,
      headers: headersOf(headers),
      body: dataOf(body),
      origin: "typed",
    });
    onClose();
  };
  return (
    <Dialog
      title={words.answerOf(step.stepId)}
      onClose={onClose}
      onSubmit={keep}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          {known === undefined ? null : (
            <Button
              onClick={() => {
                trial.setAnswer(key, undefined);
                onClose();
              }}
            >
              {words.answerRemove}
            </Button>
          )}
          <Button type="submit" look="primary">
            {words.answerKeep}
          </Button>
        </>
      }
    >
      <p className="muted">{words.answerText}</p>
      <Field label={words.answerStatus}>
        {(control) => (
          <input {...control} className="input" type="number" min={100} max={599} value={status} onChange={(event) => setStatus(event.target.value)} />
        )}
      </Field>
      <Field label={strings.tryIt.headers} hint={strings.tryIt.headersHint}>
        {(control) => (
          <textarea
            {...control}
            className="input input--mono"
            rows={2}
            spellCheck={false}
            value={headers}
            onChange={(event) => setHeaders(event.target.value)}
          />
        )}
      </Field>
      <Field label={strings.tryIt.body}>
        {(control) => (
          <textarea {...control} className="input input--mono" rows={8} spellCheck={false} value={body} onChange={(event) => setBody(event.target.value)} />
        )}
      </Field>
    </Dialog>
  );
}

/** JSON is data, anything else the text it is. */
function dataOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
