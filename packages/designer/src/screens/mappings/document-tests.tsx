import { CircleCheck, CircleX } from "lucide-react";
import { useMemo, useState } from "react";
import { Button } from "../../controls/button.tsx";
import { runDocumentTests, type TestResult } from "../../mappings/document-preview.ts";
import { documentStrings as labels } from "../../strings/mappings.ts";

export interface DocumentTestsProps {
  readonly document: Readonly<Record<string, unknown>> | undefined;
  readonly environment: Parameters<typeof runDocumentTests>[1];
  readonly canAdd: boolean;
  readonly onAdd: () => void;
}

/** The tests of a document. After the first run they are re-run on every change. */
export function DocumentTests({ document, environment, canAdd, onAdd }: DocumentTestsProps) {
  const [hasRun, setHasRun] = useState(false);
  const results = useMemo(() => (hasRun && document !== undefined ? runDocumentTests(document, environment) : []), [hasRun, document, environment]);
  const tests = document?.["tests"];
  const count = Array.isArray(tests) ? tests.length : 0;
  return (
    <section className="panel" aria-label={labels.tests}>
      <div className="screen__head">
        <h2>{labels.tests}</h2>
        <span className="muted" role="status">
          {hasRun && results !== undefined && count > 0
            ? labels.testSummary(results.filter(({ failure }) => failure === undefined).length, results.length)
            : ""}
        </span>
        <span className="grow" />
        <Button disabled={!canAdd} onClick={onAdd}>
          {labels.addTest}
        </Button>
        <Button disabled={count === 0} onClick={() => setHasRun(true)}>
          {labels.runTests}
        </Button>
      </div>
      {count === 0 ? <p className="muted">{labels.noTests}</p> : null}
      {results === undefined ? <p className="muted">{labels.testsBlocked}</p> : <Results results={results} />}
    </section>
  );
}

function Results({ results }: { readonly results: readonly TestResult[] }) {
  if (results.length === 0) return null;
  return (
    <ul className="mapping__tests">
      {results.map(({ name, failure }, index) => (
        <li key={index}>
          <span className={`chip ${failure === undefined ? "chip--ok" : "chip--fail"}`}>
            {failure === undefined ? <CircleCheck size={14} aria-hidden="true" /> : <CircleX size={14} aria-hidden="true" />}
            {failure === undefined ? labels.passed : labels.failed}
          </span>
          <span>{name}</span>
          {failure === undefined ? null : <span className="problem-text">{failure}</span>}
        </li>
      ))}
    </ul>
  );
}
