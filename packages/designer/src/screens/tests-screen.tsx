import { FlaskConical, Play } from "lucide-react";
import { useCallback, useState } from "react";
import { Link } from "wouter";
import { Button } from "../controls/button.tsx";
import { EmptyState } from "../controls/empty-state.tsx";
import { FailureBanner } from "../controls/failure-banner.tsx";
import { openWorker } from "../simulation/open-worker.ts";
import { Simulator } from "../simulation/simulator.ts";
import type { FileVerdict } from "../simulation/test-verdict.ts";
import { strings } from "../strings.ts";
import { loadSuites, runSuite, tallyOf, type Suite } from "../trial/test-suites.ts";
import { useTitle } from "./page-context.tsx";
import { usePolled } from "../api-client/use-polled.ts";
import { testPath, VerdictTable } from "./verdict-table.tsx";
import "./tests-screen.css";

const words = strings.tests;
const simulator = new Simulator(openWorker);

type Verdicts = Readonly<Record<string, readonly FileVerdict[]>>;

/** The tests of all flows, run in the page without a runtime. */
export function TestsScreen() {
  const [loaded, reload] = usePolled(loadSuites, undefined);
  const [verdicts, setVerdicts] = useState<Verdicts>({});
  const [running, setRunning] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  useTitle(strings.pageTitle(words.title));
  const suites = loaded !== undefined && "value" in loaded ? loaded.value : undefined;
  const run = useCallback(async (chosenSuites: readonly Suite[]) => {
    setProblem(undefined);
    // Sequentially: the page has one engine, and results are shown as they arrive.
    for (const { flowId } of chosenSuites) {
      setRunning(flowId);
      try {
        const files = await runSuite(simulator, flowId, strings.trial.tooLong);
        setVerdicts((before) => ({ ...before, [flowId]: files }));
      } catch (error) {
        setProblem((error as Error).message);
      }
    }
    setRunning(undefined);
  }, []);
  const error = problem ?? (loaded !== undefined && "error" in loaded ? loaded.error : undefined);
  const all = tallyOf((suites ?? []).flatMap(({ flowId }) => verdicts[flowId] ?? []));
  const isBusy = running !== undefined;
  return (
    <div className="screen">
      <div className="screen__head">
        <h1>{words.title}</h1>
        <span aria-live="polite">{isBusy ? words.running : all.total === 0 ? "" : words.passed(all.passed, all.total)}</span>
        <span className="grow" />
        {suites === undefined || suites.length === 0 ? null : (
          <Button variant="primary" icon={<Play size={16} aria-hidden="true" />} disabled={isBusy} onClick={() => void run(suites)}>
            {words.runAll}
          </Button>
        )}
      </div>
      {error === undefined ? null : (
        <FailureBanner text={error}>
          <Button onClick={reload}>{strings.common.retry}</Button>
        </FailureBanner>
      )}
      {suites?.length === 0 ? (
        <EmptyState icon={<FlaskConical size={40} aria-hidden="true" />} title={words.none} text={words.noneAnywhere}>
          <Link href="/flows" className="button">
            {strings.navigation.flows}
          </Link>
        </EmptyState>
      ) : null}
      {suites?.map((suite) => (
        <SuiteSection
          key={suite.flowId}
          suite={suite}
          verdicts={verdicts[suite.flowId]}
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
  readonly verdicts: readonly FileVerdict[] | undefined;
  readonly isRunning: boolean;
  readonly isBusy: boolean;
  readonly onRun: () => void;
}

function SuiteSection({ suite: { flowId, name, files }, verdicts, isRunning, isBusy, onRun }: SuiteProps) {
  const tally = verdicts === undefined ? undefined : tallyOf(verdicts);
  const chipClass = tally === undefined || isRunning ? "" : tally.passed === tally.total ? " chip--ok" : " chip--fail";
  return (
    <section className="suite" aria-label={words.suiteOf(name)}>
      <div className="suite__head">
        <h2>
          <Link href={`/flows/${flowId}`}>{name}</Link>
        </h2>
        <span className={`chip${chipClass}`}>
          {isRunning ? words.running : tally === undefined ? words.found(files.length) : words.passed(tally.passed, tally.total)}
        </span>
        <span className="grow" />
        <Button disabled={isBusy} aria-label={words.runSuite(name)} onClick={onRun}>
          {words.run}
        </Button>
      </div>
      {verdicts === undefined ? (
        <ul className="suite__files mono">
          {files.map(({ id }) => (
            <li key={id}>
              <Link href={testPath(flowId, id)}>{id}.test.yaml</Link> <span className="muted">{words.notRun}</span>
            </li>
          ))}
        </ul>
      ) : (
        <VerdictTable label={words.resultsOf(name)} flowId={flowId} files={verdicts} />
      )}
    </section>
  );
}
