import { MessageView } from "../controls/message-view.tsx";
import { pathKey } from "@sluice/model";
import { useShownRun } from "./shown-run.tsx";
import { strings } from "../strings.ts";
import { useTrialState } from "./trial-context.ts";

const text = strings.trial;

/** The last message at the selected step, from the open run or else from the sample. */
export function MessageTab({ target }: { readonly target: { readonly key: string; readonly title: string } }) {
  const trialSteps = useTrialState((state) => state.steps);
  const { run, steps } = useShownRun();
  const isHere = ({ path }: { readonly path: Parameters<typeof pathKey>[0] | undefined }): boolean => path !== undefined && pathKey(path) === target.key;
  const visits = run === undefined ? trialSteps.filter(isHere) : steps.filter(isHere);
  const last = visits.at(-1);
  if (last === undefined) return <p className="muted">{text.noMessage}</p>;
  const error = typeof last.error === "object" ? last.error.message : last.error;
  return (
    <>
      <p className="muted">
        {run === undefined ? text.ofTrial : text.ofRun(run.id)}
        {visits.length === 1 ? null : <> · {text.times(visits.length)}</>}
      </p>
      {error === undefined ? null : <p className="field__error">{text.failed(error)}</p>}
      <MessageView label={target.title} before={last.after === undefined ? undefined : last.before} after={last.after ?? last.before} />
    </>
  );
}
