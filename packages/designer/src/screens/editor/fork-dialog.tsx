import { useState } from "react";
import type { ReplayOutcome, RunDetail } from "@sluice/client";
import { runtimeAt } from "../../api-client/runtime-client.ts";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog.tsx";
import { TextAreaField } from "../../controls/text-area-field.tsx";
import { strings } from "../../strings.ts";
import { bodyText } from "../../trial/message-text.ts";
import type { RecordedStep } from "../../trial/recorded-run.ts";
import { headersOf } from "../../trial/sample-draft.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { ReplayTargets } from "../replay-dialog.tsx";
import { ReplayResult } from "./replay-result.tsx";

const labels = strings.runs;

/** Replays a run from one of its steps, with the original or an edited message. */
export function ForkDialog({ run, step, onClose }: { readonly run: RunDetail; readonly step: RecordedStep; readonly onClose: () => void }) {
  const { target } = useWorkspace();
  const originalBody = step.before === undefined ? (run.request?.preview ?? "") : bodyText(step.before.body);
  const [body, setBody] = useState(originalBody);
  const [headers, setHeaders] = useState("");
  const [outcome, setOutcome] = useState<ReplayOutcome | { readonly error: string } | undefined>(undefined);
  const send = (): void => {
    const edited = step.before === undefined || body !== originalBody ? { body: dataOf(body, step.before?.body) } : {};
    const added = headersOf(headers);
    const request = { fromStep: step.stepId, ...edited, ...(Object.keys(added).length === 0 ? {} : { headers: added }) };
    void runtimeAt(target)
      .call("POST /runs/:id/replay", { params: { id: run.id }, body: request })
      .then(setOutcome, (error: Error) => setOutcome({ error: error.message }));
  };
  return (
    <Dialog
      wide
      title={labels.forkTitle(step.stepId)}
      onClose={onClose}
      onSubmit={send}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.close}</Button>
          <Button type="submit" variant="primary">
            {strings.replay.submit(target ?? "")}
          </Button>
        </>
      }
    >
      <p className="muted">{labels.forkText}</p>
      <ReplayTargets flowIds={[run.flowId]} recordedHash={run.flowHash} />
      <TextAreaField label={strings.tryIt.body} rows={10} value={body} onChange={setBody} />
      <TextAreaField label={strings.tryIt.headers} hint={strings.tryIt.headersHint} rows={2} value={headers} onChange={setHeaders} />
      <div aria-live="polite">{outcome === undefined ? null : <ReplayResult outcome={outcome} flowId={run.flowId} />}</div>
    </Dialog>
  );
}

/** The edited body: parsed as JSON if the recorded body was data and the text is valid JSON, otherwise text. */
function dataOf(text: string, recordedBody: unknown): unknown {
  if (typeof recordedBody !== "object" || recordedBody === null) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
