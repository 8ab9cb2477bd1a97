import { ChevronLeft, ChevronRight, GitFork } from "lucide-react";
import { useContext, useMemo, useState, type CSSProperties } from "react";
import { Link, useLocation } from "wouter";
import type { ReplayOutcome, RunDetail } from "@sluice/client";
import { runtimeAt } from "../../api-client/runtime-client.ts";
import { currentCatalog } from "../../catalog/use-catalog.ts";
import { Button } from "../../controls/button.tsx";
import { MessageView } from "../../controls/message-view.tsx";
import { Timestamp, formatTime } from "../../controls/timestamp.tsx";
import { strings } from "../../strings.ts";
import { formatMs, type RecordedStep } from "../../trial/recorded-run.ts";
import { emptySample } from "../../trial/sample-draft.ts";
import { draftOfRun, type TestDraft } from "../../trial/test-draft.ts";
import { useTrial } from "../../trial/trial-context.ts";
import { waterfallRows, type Bar, type WaterfallRow } from "../../trial/waterfall.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { ReplayDialog } from "../replay-dialog.tsx";
import { StatusChip } from "../run-table.tsx";
import { useEditor, useEditorState } from "../../editor/editor-context.ts";
import { useSentReply } from "../../trial/sent-reply.ts";
import { ReplyView } from "./reply-view.tsx";
import { ForkDialog } from "./fork-dialog.tsx";
import { ReplayResult } from "./replay-result.tsx";
import { sampleAtStep, sampleOfRun } from "../../trial/sample-of-run.ts";
import { SaveTestDialog } from "./save-test-dialog.tsx";
import { ShowTabContext } from "./show-tab.ts";
import { useShownRun } from "../../trial/shown-run.tsx";
import "./run-view.css";
import "./try-tab.css";

const text = strings.runs;
const captureMs = 600_000;

/** A recorded run by step: path, durations and messages. */
export function RunView() {
  const { run, problem, steps, stepIndex } = useShownRun();
  const saved = useEditorState((state) => state.flow.saved);
  const reply = useSentReply((state) => state.reply);
  if (run === undefined) return problem === undefined ? <p className="muted">{strings.common.loading}</p> : <p className="field__error">{problem}</p>;
  const step = steps[stepIndex];
  return (
    <div className="run">
      <RunHead run={run} />
      {saved !== undefined && saved.hash !== run.flowHash ? <p className="muted">{text.changed}</p> : null}
      {run.error === null ? null : <p className="field__error">{run.error.message}</p>}
      {reply?.runId === run.id ? <ReplyView reply={reply} /> : null}
      <div className="run__columns">
        <Timeline run={run} stepIndex={stepIndex} />
        <div className="run__message">{step === undefined ? <Request run={run} /> : <StepMessage run={run} step={step} />}</div>
      </div>
    </div>
  );
}

function RunHead({ run }: { readonly run: RunDetail }) {
  const editor = useEditor();
  const trial = useTrial();
  const target = useWorkspace((state) => state.target);
  const [outcome, setOutcome] = useState<ReplayOutcome | { readonly error: string } | undefined>(undefined);
  const [draft, setDraft] = useState<TestDraft | undefined>(undefined);
  const [isConfirming, setConfirming] = useState(false);
  const replay = (): void =>
    void runtimeAt(target)
      .call("POST /runs/:id/replay", { params: { id: run.id }, body: {} })
      .then(setOutcome, (error: Error) => setOutcome({ error: error.message }));
  const saveAsTest = (): void => {
    const { sample, responses } = sampleOfRun(run);
    const route = editor.flow.lastValid?.outline.routes.find(({ id }) => id === run.routeId);
    setDraft(draftOfRun(run, route, { ...emptySample, ...sample, routeId: run.routeId }, responses, currentCatalog()));
  };
  const useAsSample = (): void => {
    const { sample, responses } = sampleOfRun(run);
    trial.setResponses(responses);
    trial.setSample({ ...sample, routeId: run.routeId });
    trial.start();
  };
  return (
    <>
      <div className="run__head">
        <Link href={`/flows/${editor.id}`}>{text.back}</Link>
        <StatusChip status={run.status} />
        <span className="mono">{run.id}</span>
        <Timestamp iso={run.startedAt} />
        {run.durationMs === null ? null : <span className="muted">{formatMs(run.durationMs)} ms</span>}
        {run.replayOf === null || run.replayOf === undefined ? null : (
          <Link href={`/flows/${run.flowId}/runs/${run.replayOf}`}>{text.replayOf(run.replayOf)}</Link>
        )}
      </div>
      <div className="run__scrubber">
        <Scrubber />
        <span className="grow" />
        <Button onClick={useAsSample}>{text.useAsSample}</Button>
        <Button onClick={saveAsTest}>{strings.trial.saveTest}</Button>
        <Button onClick={() => setConfirming(true)} disabled={!run.replayable}>
          {text.replay}
        </Button>
      </div>
      <div aria-live="polite">{outcome === undefined ? null : <ReplayResult outcome={outcome} flowId={run.flowId} />}</div>
      {isConfirming ? (
        <ReplayDialog
          text={strings.replay.run(run.id, run.routeId)}
          flowIds={[run.flowId]}
          recordedHash={run.flowHash}
          onReplay={replay}
          onClose={() => setConfirming(false)}
        />
      ) : null}
      {draft === undefined ? null : <SaveTestDialog draft={draft} onClose={() => setDraft(undefined)} />}
    </>
  );
}

function Scrubber() {
  const { steps, stepIndex, goTo } = useShownRun();
  if (steps.length === 0) return null;
  return (
    <>
      <Button
        icon={<ChevronLeft size={16} aria-hidden="true" />}
        aria-label={text.previous}
        title={text.previous}
        disabled={stepIndex === 0}
        onClick={() => goTo(stepIndex - 1)}
      />
      <input
        type="range"
        min={1}
        max={steps.length}
        value={stepIndex + 1}
        aria-label={text.scrub}
        aria-valuetext={text.stepPosition(stepIndex + 1, steps.length, steps[stepIndex]?.stepId ?? "")}
        onChange={(event) => goTo(Number(event.target.value) - 1)}
      />
      <Button
        icon={<ChevronRight size={16} aria-hidden="true" />}
        aria-label={text.next}
        title={text.next}
        disabled={stepIndex === steps.length - 1}
        onClick={() => goTo(stepIndex + 1)}
      />
      <span className="mono">{text.stepPosition(stepIndex + 1, steps.length, steps[stepIndex]?.stepId ?? "")}</span>
    </>
  );
}

/** The steps of the run and of the routes it called, on one time axis. */
function Timeline({ run, stepIndex }: { readonly run: RunDetail; readonly stepIndex: number }) {
  const { steps, chain } = useShownRun();
  const outline = useEditorState((state) => state.flow.lastValid?.outline);
  const rows = useMemo(
    () => waterfallRows({ run, steps, chain, outline, isRouteCall: (uri) => currentCatalog()?.isRouteCall(uri) === true }),
    [run, steps, chain, outline],
  );
  return (
    <div className="table-scroll run__steps" role="region" aria-label={text.steps} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{text.stepColumns.step}</th>
            <th scope="col">{text.stepColumns.status}</th>
            <th scope="col" className="number">
              {text.stepColumns.duration}
            </th>
            <th scope="col">{text.stepColumns.time}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index} data-selected={(row.kind === "step" && row.index === stepIndex) || undefined}>
              <td style={{ paddingInlineStart: 8 + row.depth * 16 }}>
                <RowName row={row} isShown={row.kind === "step" && row.index === stepIndex} />
              </td>
              <td>
                {row.kind === "step" && row.step.isDropped ? (
                  <span className="chip chip--warn">{text.dropped}</span>
                ) : (
                  <StatusChip status={row.kind === "route" ? row.run.status : row.step.status} />
                )}
              </td>
              <td className="number">{formatMs(row.kind === "route" ? (row.run.durationMs ?? 0) : row.step.durationMs)} ms</td>
              <td>
                <span className="run__axis">
                  {row.bars.length > 1 ? <span className="run__wait" style={spanOf(row.bars)} /> : null}
                  {row.bars.map((bar, number) => (
                    <span
                      key={number}
                      className="run__bar"
                      data-kind={row.kind}
                      data-failed={bar.isFailed || undefined}
                      data-dropped={(row.kind === "step" && row.step.isDropped) || undefined}
                      style={{ insetInlineStart: `${bar.start * 100}%`, inlineSize: `${bar.length * 100}%` }}
                    />
                  ))}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The span from the start of the first attempt to the start of the last one. Where no bar covers the span, the step was waiting. */
function spanOf(bars: readonly Bar[]): CSSProperties {
  const [first, last] = [bars[0], bars.at(-1)];
  const start = first?.start ?? 0;
  return { insetInlineStart: `${start * 100}%`, inlineSize: `${((last?.start ?? 0) - start) * 100}%` };
}

function RowName({ row, isShown }: { readonly row: WaterfallRow; readonly isShown: boolean }) {
  const { goTo } = useShownRun();
  if (row.kind === "route") {
    return (
      <Link href={`/flows/${row.run.flowId}/runs/${row.run.id}`} title={text.openCalled}>
        {text.called(row.run.routeId)}
      </Link>
    );
  }
  const attempts = (row.step.attempts ?? 1) > 1 ? <span className="muted"> {text.attempts(row.step.attempts ?? 1)}</span> : null;
  if (row.kind === "called") {
    return (
      <>
        <span className="mono">{row.step.stepId}</span>
        {attempts}
      </>
    );
  }
  return (
    <>
      <button type="button" className="link mono" aria-pressed={isShown} onClick={() => goTo(row.index)}>
        {row.step.stepId}
      </button>
      {attempts}
    </>
  );
}

/** Simulates the flow in the page from a step of a run. Nothing is sent: recorded responses replace the calls to external systems. */
function useFork(): (run: RunDetail, step: RecordedStep) => void {
  const editor = useEditor();
  const trial = useTrial();
  const show = useContext(ShowTabContext);
  const [, navigate] = useLocation();
  return (run, step) => {
    const { sample, responses } = sampleAtStep(run, step);
    trial.setResponses(responses);
    trial.setSample({ ...sample, routeId: run.routeId });
    trial.start();
    show("try");
    navigate(`/flows/${editor.id}`);
  };
}

function StepMessage({ run, step }: { readonly run: RunDetail; readonly step: RecordedStep }) {
  const route = useEditorState((state) => state.flow.lastValid?.outline.routes.find(({ id }) => id === run.routeId));
  const [forking, setForking] = useState(false);
  const fork = useFork();
  const isOwnStep = route?.steps.some(({ id }) => id === step.stepId) === true;
  return (
    <>
      <div className="run__head">
        <Button
          variant="primary"
          icon={<GitFork size={16} aria-hidden="true" />}
          disabled={!isOwnStep || step.before === undefined}
          title={isOwnStep ? text.forkHereHint : text.forkNested}
          onClick={() => fork(run, step)}
        >
          {text.forkHere}
        </Button>
        <Button disabled={!isOwnStep} title={isOwnStep ? undefined : text.forkNested} onClick={() => setForking(true)}>
          {text.fork}
        </Button>
      </div>
      {step.error === undefined ? null : <p className="field__error">{step.error}</p>}
      {step.before === undefined ? (
        <NotCaptured run={run} />
      ) : (
        <>
          <MessageView label={step.stepId} before={step.after === undefined ? undefined : step.before} after={step.after ?? step.before} />
          {step.after === undefined ? <p className="muted">{text.noAfter}</p> : null}
        </>
      )}
      {forking ? <ForkDialog run={run} step={step} onClose={() => setForking(false)} /> : null}
    </>
  );
}

function NotCaptured({ run }: { readonly run: RunDetail }) {
  const target = useWorkspace((state) => state.target);
  const [note, setNote] = useState<string | undefined>(undefined);
  const capture = (): void =>
    void runtimeAt(target)
      .call("POST /routes/:id/capture", { params: { id: run.routeId }, body: { forMs: captureMs } })
      .then(
        ({ until }) => setNote(text.capturing(formatTime(until ?? ""))),
        (error: Error) => setNote(error.message),
      );
  return (
    <>
      <p className="muted" aria-live="polite">
        {note ?? text.notCaptured}
      </p>
      <p>
        <Button onClick={capture}>{text.capture}</Button>
      </p>
      <Request run={run} />
    </>
  );
}

function Request({ run }: { readonly run: RunDetail }) {
  if (run.request === null || run.request === undefined) return null;
  const headers = run.request.contentType === null || run.request.contentType === undefined ? {} : { "Content-Type": run.request.contentType };
  return <MessageView label={text.request} before={undefined} after={{ body: run.request.preview ?? "", headers }} />;
}
