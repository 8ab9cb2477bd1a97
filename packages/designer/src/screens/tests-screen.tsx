import { FlaskConical, Play } from "lucide-react";
import { useCallback, useState } from "react";
import { Link } from "wouter";
import { Button } from "../controls/button.tsx";
import { EmptyState } from "../controls/empty-state.tsx";
import { FailureBanner } from "../controls/failure-banner.tsx";
import { openWorker } from "../simulation/open-worker.ts";
import { Simulator } from "../simulation/simulator.ts";
import type { FileResult } from "../simulation/test-result.ts";
import { strings } from "../strings.ts";
import { loadSuites, runSuite, tallyOf, type Suite } from "../trial/test-suites.ts";
import { useTitle } from "./shell-context.tsx";
import { usePolled } from "../api-client/use-polled.ts";
import { testPath, ResultTable } from "./result-table.tsx";
import "./tests-screen.css";

const text = strings.tests;
const simulator = new Simulator(openWorker);

type ResultsByFlow = Readonly<Record<string, readonly FileResult[]>>;

/** The tests of all flows, run in the page without a runtime. */
export function TestsScreen() {
  const [loaded, reload] = usePolled(loadSuites, undefined);
  const [results, setResults] = useState<ResultsByFlow>({});
  const [running, setRunning] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  useTitle(strings.pageTitle(text.title));
  const suites = loaded !== undefined && "value" in loaded ? loaded.value : undefined;
  const run = useCallback(async (suitesToRun: readonly Suite[]) => {
    setProblem(undefined);
    // Sequentially: the page has one engine, and results are shown as they arrive.
    for (const { flowId } of suitesToRun) {
      setRunning(flowId);
      try {
        const files = await runSuite(simulator, flowId, strings.trial.tooLong);
        setResults((before) => ({ ...before, [flowId]: files }));
      } catch (error) {
        setProblem((error as Error).message);
      }
    }
    setRunning(undefined);
  }, []);
  const error = problem ?? (loaded !== undefined && "error" in loaded ? loaded.error : undefined);
  const all = tallyOf((suites ?? []).flatMap(({ flowId }) => results[flowId] ?? []));
  const isBusy = running !== undefined;
  return (
    <div className="screen">
      <div className="screen__head">
        <h1>{text.title}</h1>
        <span aria-live="polite">{isBusy ? text.running : all.total === 0 ? "" : text.passed(all.passed, all.total)}</span>
        <span className="grow" />
        {suites === undefined || suites.length === 0 ? null : (
          <Button variant="primary" icon={<Play size={16} aria-hidden="true" />} disabled={isBusy} onClick={() => void run(suites)}>
            {text.runAll}
          </Button>
        )}
      </div>
      {error === undefined ? null : (
        <FailureBanner text={error}>
          <Button onClick={reload}>{strings.common.retry}</Button>
        </FailureBanner>
      )}
      {suites?.length === 0 ? (
        <EmptyState icon={<FlaskConical size={40} aria-hidden="true" />} title={text.none} text={text.noneAnywhere}>
          <Link href="/flows" className="button">
            {strings.navigation.flows}
          </Link>
        </EmptyState>
      ) : null}
      {suites?.map((suite) => (
        <SuiteSection
          key={suite.flowId}
          suite={suite}
          results={results[suite.flowId]}
          isRunning={running === suite.flowId}
          isBusy={isBusy}
          onRun={() => void run([suite])}
        />
      ))}
    </div>
  );
}

interface SuiteProps {
  readonly suite: Suite;
  readonly results: readonly FileResult[] | undefined;
  readonly isRunning: boolean;
  readonly isBusy: boolean;
  readonly onRun: () => void;
}

function SuiteSection({ suite: { flowId, name, files }, results, isRunning, isBusy, onRun }: SuiteProps) {
  const tally = results === undefined ? undefined : tallyOf(results);
  const chipClass = tally === undefined || isRunning ? "" : tally.passed === tally.total ? " chip--ok" : " chip--fail";
  return (
    <section className="suite" aria-label={text.suiteOf(name)}>
      <div className="suite__head">
        <h2>
          <Link href={`/flows/${flowId}`}>{name}</Link>
        </h2>
        <span className={`chip${chipClass}`}>
          {isRunning ? text.running : tally === undefined ? text.found(files.length) : text.passed(tally.passed, tally.total)}
        </span>
        <span className="grow" />
        <Button disabled={isBusy} aria-label={text.runSuite(name)} onClick={onRun}>
          {text.run}
        </Button>
      </div>
      {results === undefined ? (
        <ul className="suite__files mono">
          {files.map(({ id }) => (
            <li key={id}>
              <Link href={testPath(flowId, id)}>{id}.test.yaml</Link> <span className="muted">{text.notRun}</span>
            </li>
          ))}
        </ul>
      ) : (
        <ResultTable label={text.resultsOf(name)} flowId={flowId} files={results} />
      )}
    </section>
  );
}
