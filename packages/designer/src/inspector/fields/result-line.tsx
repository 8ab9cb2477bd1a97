import { strings } from "../../strings.ts";
import type { LiveResult } from "../use-live-result.ts";

const words = strings.inspector;

/** The result of the expression, below its field. */
export function ResultLine({ label, value, fullValue, type, error, runId }: LiveResult & { readonly label: string }) {
  const where = runId === undefined ? words.resultOnSample : words.resultOnRun(runId);
  if (error === undefined && value === undefined) return <p className="result-line muted">{words.resultUnreached}</p>;
  return (
    <p className="result-line" role="group" aria-label={words.resultOf(label)}>
      <span className="result-line__name" title={where}>
        {words.result}
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
