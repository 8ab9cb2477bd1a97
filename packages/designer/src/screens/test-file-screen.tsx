import { Play, Save, Trash2 } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import type { Edit } from "@sluice/model";
import { workspaceClient, type DocumentFile } from "../api-client/workspace-client.ts";
import { usePolled } from "../api-client/use-polled.ts";
import { Button } from "../controls/button.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { Field } from "../controls/field.tsx";
import { FailureBanner } from "../controls/failure-banner.tsx";
import { openWorker } from "../simulation/open-worker.ts";
import { Simulator } from "../simulation/simulator.ts";
import type { FileResult } from "../simulation/test-result.ts";
import { strings } from "../strings.ts";
import { duplicateTest, removeTest, renameTest, testNames } from "../trial/test-edits.ts";
import { runSuite } from "../trial/test-suites.ts";
import { mountSource, type MountedSource } from "./mappings/document-source.ts";
import { useTitle } from "./shell-context.tsx";
import { useUnsavedDraft } from "./use-unsaved-draft.ts";
import { ResultTable } from "./result-table.tsx";
import "../source-view/source-view.css";
import "./tests-screen.css";

const labels = strings.tests;
const simulator = new Simulator(openWorker);

/** Editor of a test file. Run executes the tests in the browser, without a runtime. */
export function TestFileScreen({ flowId, fileId }: { readonly flowId: string; readonly fileId: string }) {
  useTitle(strings.pageTitle(`${fileId}.test.yaml`));
  const load = useCallback(() => workspaceClient.test(flowId, fileId), [flowId, fileId]);
  const [loaded] = usePolled(load, undefined);
  if (loaded === undefined) return <p className="screen muted">{strings.common.loading}</p>;
  return (
    <div className="screen test-file">
      {"error" in loaded ? (
        <FailureBanner text={loaded.error}>
          <Link href="/tests">{labels.allTests}</Link>
        </FailureBanner>
      ) : (
        <OpenTestFile flowId={flowId} loaded={loaded.value} />
      )}
    </div>
  );
}

function OpenTestFile({ flowId, loaded }: { readonly flowId: string; readonly loaded: DocumentFile }) {
  const [, navigate] = useLocation();
  const [saved, setSaved] = useState(loaded);
  const { draft, isChanged, change, reset } = useUnsavedDraft(`test:${flowId}/${loaded.id}`, loaded.text);
  const [results, setResults] = useState<readonly FileResult[] | undefined>(undefined);
  const [note, setNote] = useState("");
  const [error, setError] = useState<string | undefined>(undefined);
  const [isRemoving, setRemoving] = useState(false);
  const file = `${loaded.id}.test.yaml`;
  const attempt = async (act: () => Promise<void>): Promise<void> => {
    setError(undefined);
    setNote("");
    await act().catch((reason: Error) => setError(reason.message));
  };
  const save = (): Promise<void> =>
    attempt(async () => {
      const written = await workspaceClient.saveTest(flowId, loaded.id, draft, saved.hash);
      setSaved(written);
      reset(written.text);
      setNote(strings.saveTest.saved(file));
    });
  const run = (): Promise<void> =>
    attempt(async () => {
      setNote(labels.running);
      setResults(await runSuite(simulator, flowId, strings.trial.tooLong, [{ id: loaded.id, text: draft }]));
      setNote("");
    });
  const remove = (): Promise<void> =>
    attempt(async () => {
      await workspaceClient.removeTest(flowId, loaded.id, saved.hash);
      reset("");
      navigate("/tests");
    }).finally(() => setRemoving(false));
  return (
    <>
      <div className="screen__head">
        <h1>{file}</h1>
        <Link href={`/flows/${flowId}`}>{flowId}</Link>
        {isChanged ? <span className="chip">{labels.unsaved}</span> : null}
        <span className="muted" aria-live="polite">
          {note}
        </span>
        <span className="grow" />
        <Button icon={<Trash2 size={16} aria-hidden="true" />} onClick={() => setRemoving(true)}>
          {labels.remove}
        </Button>
        <Button icon={<Play size={16} aria-hidden="true" />} onClick={() => void run()}>
          {labels.run}
        </Button>
        <Button variant="primary" icon={<Save size={16} aria-hidden="true" />} disabled={!isChanged} onClick={() => void save()}>
          {labels.save}
        </Button>
      </div>
      {error === undefined ? null : <FailureBanner text={error} />}
      <TestList text={draft} onChange={change} onError={setError} />
      <Source text={draft} label={file} onType={change} />
      {results === undefined ? null : <ResultTable label={labels.resultsOf(file)} flowId={flowId} files={results} />}
      {isRemoving ? (
        <Dialog
          title={labels.removeTitle(file)}
          onClose={() => setRemoving(false)}
          actions={
            <>
              <Button onClick={() => setRemoving(false)}>{strings.common.cancel}</Button>
              <Button variant="primary" onClick={() => void remove()}>
                {labels.removeSubmit}
              </Button>
            </>
          }
        >
          <p>{labels.removeText(flowId)}</p>
        </Dialog>
      ) : null}
    </>
  );
}

interface TestListProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onError: (reason: string) => void;
}

/** The tests of the file, each with the actions that need no YAML. */
function TestList({ text, onChange, onError }: TestListProps) {
  const names = testNames(text);
  const [renaming, setRenaming] = useState<{ readonly index: number; readonly name: string } | undefined>(undefined);
  const apply = (edit: Edit): void => (edit.ok ? onChange(edit.source) : onError(edit.reason));
  if (names === undefined) return null;
  return (
    <ul className="test-file__tests" aria-label={labels.testsOfFile}>
      {names.map((name, index) => (
        <li key={index}>
          <span className="grow">{name}</span>
          <Button aria-label={labels.renameOne(name)} onClick={() => setRenaming({ index, name })}>
            {labels.rename}
          </Button>
          <Button aria-label={labels.duplicateOne(name)} onClick={() => apply(duplicateTest(text, index, unusedName(name, names)))}>
            {labels.duplicate}
          </Button>
          <Button aria-label={labels.removeOne(name)} onClick={() => apply(removeTest(text, index))}>
            {labels.removeTest}
          </Button>
        </li>
      ))}
      {renaming === undefined ? null : (
        <Dialog
          title={labels.renameOne(names[renaming.index] ?? "")}
          onClose={() => setRenaming(undefined)}
          onSubmit={() => {
            if (renaming.name.trim() !== "") apply(renameTest(text, renaming.index, renaming.name.trim()));
            setRenaming(undefined);
          }}
          actions={
            <>
              <Button onClick={() => setRenaming(undefined)}>{strings.common.cancel}</Button>
              <Button type="submit" variant="primary">
                {labels.rename}
              </Button>
            </>
          }
        >
          <Field label={labels.nameOfTest}>
            {(control) => (
              <input
                {...control}
                className="input"
                autoFocus
                value={renaming.name}
                onChange={(event) => setRenaming({ ...renaming, name: event.target.value })}
              />
            )}
          </Field>
        </Dialog>
      )}
    </ul>
  );
}

function unusedName(name: string, names: readonly string[]): string {
  for (let number = 2; ; number++) if (!names.includes(`${name} (${number})`)) return `${name} (${number})`;
}

function Source({ text, label, onType }: { readonly text: string; readonly label: string; readonly onType: (text: string) => void }) {
  const host = useRef<HTMLDivElement>(null);
  const initialText = useRef(text);
  const mounted = useRef<MountedSource | undefined>(undefined);
  useEffect(() => {
    if (host.current === null) return;
    const source = mountSource(host.current, { text: initialText.current, label, onType });
    mounted.current = source;
    return () => source.destroy();
  }, [label, onType]);
  useEffect(() => mounted.current?.show(text), [text]);
  return <div className="source test-file__source" ref={host} />;
}
