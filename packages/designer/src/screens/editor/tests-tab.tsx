import { useEffect, useState } from "react";
import { Link } from "wouter";
import { Button } from "../../controls/button.tsx";
import { EmptyState } from "../../controls/empty-state.tsx";
import { activeSteps } from "@sluice/model";
import type { TestResult } from "../../simulation/test-result.ts";
import { strings } from "../../strings.ts";
import { useTrial, useTrialState } from "../../trial/trial-context.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { testPath, ResultTable } from "../result-table.tsx";
import { useEditor, useEditorState } from "../../editor/editor-context.ts";
import "./tests-tab.css";

const text = strings.tests;

/** The tests of the open flow: run in the page on the current text, or on the runtime against the deployed version. */
export function TestsTab() {
  const editor = useEditor();
  const trial = useTrial();
  const files = useTrialState((state) => state.testFiles);
  const testRun = useTrialState((state) => state.testRun);
  useEffect(() => {
    void trial.loadTests();
  }, [trial]);
  if (files?.length === 0) {
    return (
      <EmptyState title={text.none} text={text.noneText}>
        <code>tests/{editor.id}/</code>
      </EmptyState>
    );
  }
  return (
    <div className="tests">
      <Tools />
      {testRun === undefined ? (
        <ul className="mono">
          {files?.map(({ id }) => (
            <li key={id}>
              <Link href={testPath(editor.id, id)}>{id}.test.yaml</Link> <span className="muted">{text.notRun}</span>
            </li>
          ))}
        </ul>
      ) : (
        <ResultTable label={text.list} flowId={editor.id} files={testRun.files} />
      )}
    </div>
  );
}

function Tools() {
  const editor = useEditor();
  const trial = useTrial();
  const files = useTrialState((state) => state.testFiles);
  const testRun = useTrialState((state) => state.testRun);
  const isLive = useTrialState((state) => state.areTestsLive);
  const isBusy = useTrialState((state) => state.areTestsBusy);
  const { target, runtime } = useWorkspace();
  const saved = useEditorState((state) => state.flow.saved);
  const [note, setNote] = useState<string | undefined>(undefined);
  const runDeployed = async (): Promise<void> => {
    const running = runtime.flows.get(editor.id);
    if (running === undefined) return setNote(text.needsDeploy);
    setNote(running.hash === saved?.hash && editor.flow.text === saved.text ? undefined : text.differs);
    const { runDeployedTests } = await import("../../trial/run-deployed-tests.ts");
    trial.showTests({ by: "runtime", files: await runDeployedTests(await trial.loadTests(), target) });
  };
  const tests = testRun?.files.flatMap((file) => file.tests) ?? [];
  return (
    <div className="tests__tools">
      <h2>{text.found(files?.length ?? 0)}</h2>
      <Button onClick={() => void trial.runTests()}>{text.runHere}</Button>
      <Button onClick={() => void runDeployed()}>{text.runDeployed}</Button>
      <Button aria-pressed={isLive} onClick={() => trial.setTestsLive(!isLive)}>
        {text.live}
      </Button>
      <span aria-live="polite" className="tests__summary">
        {isBusy
          ? text.running
          : testRun === undefined
            ? ""
            : `${text.passed(tests.filter(({ failures }) => failures.length === 0).length, tests.length)} ${text.by[testRun.by]}`}
      </span>
      {note === undefined ? null : <span className="muted">{note}</span>}
      {testRun === undefined ? null : <Coverage tests={tests} />}
    </div>
  );
}

function Coverage({ tests }: { readonly tests: readonly TestResult[] }) {
  const routes = useEditorState((state) => state.flow.lastValid?.outline.routes) ?? [];
  const visited = new Set(tests.flatMap((test) => test.visited));
  const all = routes.flatMap((route) => [...activeSteps(route.steps)].map(({ id }) => `${route.id}/${id}`));
  const missing = all.filter((step) => !visited.has(step));
  return (
    <span className="muted" title={missing.length === 0 ? undefined : text.notVisited(missing)}>
      {text.coverage(all.length - missing.length, all.length)}
    </span>
  );
}
