import { strings } from "../../strings.ts";
import type { LiveResult } from "../use-live-result.ts";

const text = strings.inspector;

/** The result of the expression, below its field. */
export function ResultLine({ label, value, fullValue, type, error, runId }: LiveResult & { readonly label: string }) {
  const where = runId === undefined ? text.resultOnSample : text.resultOnRun(runId);
  if (error === undefined && value === undefined) return <p className="result-line muted">{text.resultUnreached}</p>;
  return (
    <p className="result-line" role="group" aria-label={text.resultOf(label)}>
      <span className="result-line__name" title={where}>
        {text.result}
      </span>
      {error === undefined ? (
        <>
          <output className="mono result-line__value" title={fullValue}>
            {value}
          </output>
          <span className="muted">{type}</span>
        </>
      ) : (
        <output className="field__error" title={error}>
          {error}
        </output>
      )}
    </p>
  );
}
