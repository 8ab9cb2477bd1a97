import { useState } from "react";
import { CircleAlert, CircleCheck, Unplug } from "lucide-react";
import { currentCatalog } from "../../catalog/use-catalog.ts";
import { Button } from "../../controls/button.tsx";
import { MessageView } from "../../controls/message-view.tsx";
import { DataTable, numericHeading } from "../../controls/data-table.tsx";
import { strings } from "../../strings.ts";
import { bodySummary } from "../../trial/message-text.ts";
import { draftOfTrial, type TestDraft } from "../../trial/test-draft.ts";
import { responseKey, type TrialStep } from "../../trial/trial.ts";
import { useTrial, useTrialState } from "../../trial/trial-context.ts";
import { ResponseDialog } from "./response-dialog.tsx";
import { useEditor } from "../../editor/editor-context.ts";
import { SaveTestDialog } from "./save-test-dialog.tsx";

const text = strings.trial;

/** The result of the sample: the outcome, the steps, and the message at the selected step. */
export function TrialResult() {
  const result = useTrialState((state) => state.result);
  const steps = useTrialState((state) => state.steps);
  const problem = useTrialState((state) => state.problem);
  const isBusy = useTrialState((state) => state.isBusy);
  const selectedIndex = useTrialState((state) => state.selectedIndex);
  if (problem !== undefined) {
    return (
      <div className="try__result">
        <p className="field__error" role="alert">
          {problem}
        </p>
      </div>
    );
  }
  if (result === undefined) return <p className="try__result muted">{isBusy ? text.busy : text.waiting}</p>;
  const step = selectedIndex === undefined ? undefined : steps[selectedIndex];
  return (
    <div className="try__result">
      <Outcome />
      {result.unresolvedParameters.length === 0 ? null : <p className="muted">{text.placeholders(result.unresolvedParameters)}</p>}
      <div className="try__columns">
        <StepTable steps={steps} selectedIndex={selectedIndex} />
        <div className="try__message">
          {step === undefined ? (
            <p className="muted">{text.selectStep}</p>
          ) : (
            <>
              {step.error === undefined ? null : <p className="field__error">{text.failed(step.error.message)}</p>}
              <MessageView label={step.stepId} before={step.before} after={step.after} />
            </>
          )}
        </div>
      </div>
      {result.omittedSteps === 0 ? null : <p className="muted">{text.omitted(result.omittedSteps)}</p>}
    </div>
  );
}

function Outcome() {
  const editor = useEditor();
  const trial = useTrial();
  const result = useTrialState((state) => state.result);
  const isForked = useTrialState((state) => state.sample.start !== undefined);
  const [draft, setDraft] = useState<TestDraft | undefined>(undefined);
  const outcome = result?.outcome;
  if (result === undefined || outcome === undefined) return null;
  const hasSucceeded = outcome.status === "completed" || outcome.status === "discarded";
  return (
    <div className="try__outcome" aria-live="polite">
      <span className={`chip ${hasSucceeded ? "chip--ok" : "chip--fail"}`}>
        {hasSucceeded ? <CircleCheck size={14} aria-hidden="true" /> : <CircleAlert size={14} aria-hidden="true" />}
        {text.outcome[outcome.status as keyof typeof text.outcome] ?? outcome.status}
      </span>
      {outcome.reply === undefined ? null : <span className="chip">{text.reply(outcome.reply.status)}</span>}
      <span className="mono try__summary">{bodySummary(outcome.reply?.body ?? outcome.body)}</span>
      {outcome.error === null ? null : <span className="field__error">{outcome.error.message}</span>}
      <span className="grow" />
      <Button
        // A test always starts at the trigger.
        disabled={isForked}
        onClick={() => setDraft(draftOfTrial(editor.id, editor.flow.lastValid?.outline.routes ?? [], trial.store.getState(), currentCatalog()))}
      >
        {text.saveTest}
      </Button>
      {draft === undefined ? null : <SaveTestDialog draft={draft} onClose={() => setDraft(undefined)} />}
    </div>
  );
}

function StepTable({ steps, selectedIndex }: { readonly steps: readonly TrialStep[]; readonly selectedIndex: number | undefined }) {
  const trial = useTrial();
  const responses = useTrialState((state) => state.responses);
  const [editing, setEditing] = useState<TrialStep | undefined>(undefined);
  return (
    <>
      <DataTable
        className="try__steps"
        label={text.steps}
        headings={[text.columns.step, text.columns.result, text.columns.response, numericHeading(text.columns.duration)]}
      >
        {steps.map((step, index) => (
          <tr key={index} aria-selected={selectedIndex === index} data-failed={step.error === undefined ? undefined : true}>
            <td>
              <button type="button" className="link mono" aria-pressed={selectedIndex === index} onClick={() => trial.show(index)}>
                {step.stepId}
                {step.attempt > 1 ? ` #${step.attempt}` : ""}
              </button>
            </td>
            <td className="mono try__after">
              {step.error === undefined ? bodySummary(step.after?.body) : <span className="field__error">{step.error.message}</span>}
            </td>
            <td>
              <ResponseOrigin step={step} origin={responses[responseKey(step.routeId, step.stepId)]?.origin} onEdit={() => setEditing(step)} />
            </td>
            <td className="number">{text.took(step.durationMs)}</td>
          </tr>
        ))}
      </DataTable>
      {editing === undefined ? null : <ResponseDialog step={editing} onClose={() => setEditing(undefined)} />}
    </>
  );
}

/** The mock that replaced the external system; nothing for steps without external calls. */
function ResponseOrigin({ step, origin, onEdit }: { readonly step: TrialStep; readonly origin: "typed" | "run" | undefined; readonly onEdit: () => void }) {
  if (step.mock === undefined && !step.unmocked) return null;
  const test = step.mock?.startsWith("test:") === true ? text.mock.test(step.mock.slice("test:".length)) : undefined;
  const label = step.unmocked ? text.unmocked : (test ?? text.mock[origin ?? "typed"]);
  return (
    <span className="try__origin">
      {step.unmocked ? <Unplug size={14} aria-hidden="true" /> : null}
      <span className={step.unmocked ? "try__unmocked" : ""}>{label}</span>
      <button type="button" className="link" aria-label={`${origin === undefined ? text.setResponse : text.changeResponse}: ${step.stepId}`} onClick={onEdit}>
        {origin === undefined ? text.setResponse : text.changeResponse}
      </button>
    </span>
  );
}
