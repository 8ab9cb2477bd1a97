import { lazy, Suspense, useEffect, useMemo, useState, type ReactNode } from "react";
import { useSearchParams } from "wouter";
import { runtimeAt } from "../../api-client/runtime-client.ts";
import type { DocumentCommand, EditorHandle } from "../../commands/command.ts";
import { runCommand } from "../../commands/run-command.ts";
import { CanvasPane } from "../../canvas/canvas-pane.tsx";
import { CardFactsContext, layeredFacts } from "../../canvas/card-facts.ts";
import type { Editor } from "../../document/editor.ts";
import { isBroken } from "../../document/open-flow.ts";
import { figuresFacts } from "../../figures/figures-facts.ts";
import { LiveFigures } from "../../figures/live-figures.tsx";
import { InspectorPane } from "../../inspector/inspector-pane.tsx";
import { strings } from "../../strings.ts";
import { recordedFacts, type RecordedStep } from "../../trial/recorded-run.ts";
import type { Trial } from "../../trial/trial.ts";
import { TrialContext, trialOf, useTrial } from "../../trial/trial-context.ts";
import { trialFacts } from "../../trial/trial-facts.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { useEditorHandle, useTitle } from "../page-context.tsx";
import { Dock } from "./dock.tsx";
import type { DockTabId } from "./dock-tabs.tsx";
import { EditorBanners } from "./editor-banners.tsx";
import { useEditor, useEditorState } from "./editor-context.ts";
import { EditorHeader } from "./editor-header.tsx";
import { QuestionDialog } from "./question-dialog.tsx";
import { ShownRunProvider } from "./shown-run.tsx";
import type { View } from "./view.ts";
import "./editor.css";

const SourceView = lazy(() => import("../../source-view/source-view.tsx").then((module) => ({ default: module.SourceView })));

const lintAfterMs = 300;

/** The editor's frame: header, canvas and source, inspector, dock. What fills them lives in its own rooms. */
export function EditorFrame({ runId }: { readonly runId: string | undefined }) {
  const trial = trialOf(useEditor());
  useEffect(() => trial.follow(), [trial]);
  return (
    <TrialContext value={trial}>
      <ShownRunProvider runId={runId}>
        {({ steps, run }) => (
          <FactsProvider steps={run === undefined ? undefined : steps}>
            <Frame runId={runId} />
          </FactsProvider>
        )}
      </ShownRunProvider>
    </TrialContext>
  );
}

/** What cards show: the recorded run that is looked into, otherwise the trial, otherwise how the deployed flow does. */
function FactsProvider({ steps, children }: { readonly steps: readonly RecordedStep[] | undefined; readonly children: ReactNode }) {
  const trial = useTrial();
  const [figures] = useState(figuresFacts);
  const facts = useMemo(() => (steps === undefined ? layeredFacts(trialFacts(trial), figures) : recordedFacts(steps)), [steps, trial, figures]);
  return (
    <CardFactsContext value={facts}>
      {steps === undefined ? <LiveFigures facts={figures} /> : null}
      {children}
    </CardFactsContext>
  );
}

function Frame({ runId }: { readonly runId: string | undefined }) {
  const editor = useEditor();
  const trial = useTrial();
  const name = useEditorState(({ flow }) => flow.good?.outline.routes[0]?.description ?? flow.id);
  const [view, setView] = useView();
  const [tab, setTab] = useState<DockTabId>("problems");
  useEffect(() => {
    if (runId !== undefined) setTab("runs");
  }, [runId]);
  useTitle(strings.pageTitle(name));
  useLint(editor);
  const handle = useMemo(() => handleOf(editor, trial, setView, setTab), [editor, trial, setView]);
  useEditorHandle(handle);
  return (
    <div className="editor" data-view={view}>
      <EditorHeader name={name} view={view} handle={handle} onView={setView} />
      <EditorBanners />
      <div className="editor__work">
        {view === "yaml" ? null : (
          <section className="editor__canvas" aria-label={strings.editor.canvas}>
            <CanvasPane />
          </section>
        )}
        {view === "canvas" ? null : (
          <section className="editor__source" aria-label={strings.editor.source}>
            <Suspense fallback={<p className="muted">{strings.common.loading}</p>}>
              <SourceView />
            </Suspense>
          </section>
        )}
        {view === "canvas" ? (
          <aside className="editor__inspector" aria-label={strings.editor.inspector}>
            <InspectorPane />
          </aside>
        ) : null}
        <Dock tab={tab} onTab={setTab} />
      </div>
      <QuestionDialog />
    </div>
  );
}

/** The view is part of the address, so that a link or a reload shows the same. */
function useView(): readonly [View, (view: View) => void] {
  const [search, setSearch] = useSearchParams();
  const asked = search.get("view");
  const view: View = asked === "split" || asked === "yaml" ? asked : "canvas";
  return useMemo(() => [view, (next: View) => setSearch(next === "canvas" ? {} : { view: next }, { replace: true })] as const, [view, setSearch]);
}

function handleOf(editor: Editor, trial: Trial, setView: (view: View) => void, setTab: (tab: DockTabId) => void): EditorHandle {
  const { getState } = useWorkspace;
  return {
    get flow() {
      return editor.flow;
    },
    undo: () => editor.undo(),
    redo: () => editor.redo(),
    save: () => void editor.save(),
    deploy: () => void editor.deploy(getState().target ?? null).then(() => getState().loadRuntime()),
    runTests: () => {
      setTab("tests");
      void trial.runTests();
    },
    tryIt: () => {
      setTab("try");
      trial.start();
    },
    setView,
    run: (command: DocumentCommand) => void runCommand(editor, command, "command"),
  };
}

/** Asks the runtime what it thinks of the text, a moment after the last change. */
function useLint(editor: Editor): void {
  const text = useEditorState(({ flow }) => flow.text);
  const target = useWorkspace((state) => state.target);
  const reachable = useWorkspace((state) => state.runtime.reachable);
  useEffect(() => {
    if (isBroken(editor.flow) || reachable === false) return;
    const ended = new AbortController();
    const timer = setTimeout(() => {
      runtimeAt(target)
        .call("POST /flows/validate", { query: { id: editor.id }, body: { yaml: text }, signal: ended.signal })
        .then(
          ({ problems }) => editor.setProblems(text, problems),
          () => undefined,
        );
    }, lintAfterMs);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [editor, text, target, reachable]);
}
