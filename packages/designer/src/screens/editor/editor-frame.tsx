import { lazy, Suspense, useCallback, useEffect, useMemo, useState, type CSSProperties, type ReactNode } from "react";
import { useSearchParams } from "wouter";
import { runtimeAt } from "../../api-client/runtime-client.ts";
import type { DocumentCommand, EditorHandle } from "../../commands/command.ts";
import { runCommand } from "../../commands/run-command.ts";
import { focusSelected } from "../../canvas/canvas-actions.ts";
import { CanvasPane } from "../../canvas/canvas-pane.tsx";
import { CardDetailsContext, layerDetails } from "../../canvas/card-details.ts";
import { useCatalogLoader } from "../../catalog/use-catalog.ts";
import type { Editor } from "../../document/editor.ts";
import { isBroken } from "../../document/open-flow.ts";
import { metricDetails } from "../../metrics/metric-details.ts";
import { LiveMetrics } from "../../metrics/live-metrics.tsx";
import { strings } from "../../strings.ts";
import { recordedDetails, type RecordedStep } from "../../trial/recorded-run.ts";
import type { Trial } from "../../trial/trial.ts";
import { TrialContext, trialOf, useTrial } from "../../trial/trial-context.ts";
import { trialDetails } from "../../trial/trial-details.ts";
import { isLocalTarget, useWorkspace } from "../../workspace/workspace-store.ts";
import { useEditorHandle, useTitle } from "../shell-context.tsx";
import { Dock } from "./dock.tsx";
import type { DockTabId } from "./dock-tabs.tsx";
import { EditorBanners } from "./editor-banners.tsx";
import { useEditor, useEditorState } from "../../editor/editor-context.ts";
import { EditorHeader } from "./editor-header.tsx";
import { InspectorPanel } from "./inspector-panel.tsx";
import { OutlinePanel, outlineSize } from "./outline-panel.tsx";
import { changePanel, togglePanel, usePanels } from "./panel-sizes.ts";
import { ConflictDialog } from "./conflict-dialog.tsx";
import { ShownRunProvider } from "../../trial/shown-run.tsx";
import { StepMessageProvider } from "../../trial/step-message.tsx";
import type { View } from "./view.ts";
import "./editor.css";

const SourceView = lazy(() => import("../../source-view/source-view.tsx").then((module) => ({ default: module.SourceView })));

const DataPanel = lazy(() => import("./data-panel.tsx").then((module) => ({ default: module.DataPanel })));

const BreakpointBar = lazy(() => import("../../breakpoints/breakpoint-bar.tsx").then((module) => ({ default: module.BreakpointBar })));

const ReviewDialog = lazy(() => import("../../review/review-dialog.tsx").then((module) => ({ default: module.ReviewDialog })));

const ShownChanges = lazy(() => import("../../review/shown-changes.tsx").then((module) => ({ default: module.ShownChanges })));

const lintDebounceMs = 300;

/** The layout of the editor: header, canvas and source, inspector, dock. */
export function EditorFrame({ runId }: { readonly runId: string | undefined }) {
  const trial = trialOf(useEditor());
  useEffect(() => trial.follow(), [trial]);
  return (
    <TrialContext value={trial}>
      <ShownRunProvider runId={runId}>
        {({ reached, run }) => (
          <CardDetailsProvider steps={run === undefined ? undefined : reached}>
            <StepMessageProvider>
              <Frame runId={runId} />
            </StepMessageProvider>
          </CardDetailsProvider>
        )}
      </ShownRunProvider>
    </TrialContext>
  );
}

/** Details for cards: those of the open run, else of the trial, else the metrics of the deployed flow. */
function CardDetailsProvider({ steps, children }: { readonly steps: readonly RecordedStep[] | undefined; readonly children: ReactNode }) {
  const trial = useTrial();
  const [metrics] = useState(metricDetails);
  const details = useMemo(() => (steps === undefined ? layerDetails(trialDetails(trial), metrics) : recordedDetails(steps)), [steps, trial, metrics]);
  return (
    <CardDetailsContext value={details}>
      {steps === undefined ? <LiveMetrics details={metrics} /> : null}
      {children}
    </CardDetailsContext>
  );
}

function Frame({ runId }: { readonly runId: string | undefined }) {
  const editor = useEditor();
  const trial = useTrial();
  const name = useEditorState(({ flow }) => flow.lastValid?.outline.routes[0]?.description ?? flow.id);
  const [view, setView] = useView();
  const [tab, setTab] = useState<DockTabId>("problems");
  const showTab = useCallback((next: DockTabId): void => {
    setTab(next);
    if (usePanels.getState().dock.isCollapsed) changePanel("dock", { isCollapsed: false });
  }, []);
  useEffect(() => {
    if (runId !== undefined) showTab("runs");
  }, [runId, showTab]);
  useTitle(strings.pageTitle(name));
  useCatalogLoader();
  useLint(editor);
  const [isReviewing, setReviewing] = useState(false);
  /** The deployed text whose differences are marked on the canvas. */
  const [compared, setCompared] = useState<string | undefined>(undefined);
  const endReview = (): void => {
    setReviewing(false);
    setCompared(undefined);
  };
  const target = useWorkspace((state) => state.target);
  const handle = useMemo(() => handleOf(editor, trial, setView, showTab, () => setReviewing(true)), [editor, trial, setView, showTab]);
  useEditorHandle(handle);
  const outline = usePanels((state) => state.outline);
  const isOutlineOpen = !outline.isCollapsed;
  const outlineStyle = { "--outline": `${outline.size ?? outlineSize}px` } as CSSProperties;
  const isDataOpen = !usePanels((state) => state.data.isCollapsed);
  const inspector = usePanels((state) => state.inspector);
  const isInspectorCollapsed = inspector.isCollapsed;
  const style = inspector.size === undefined ? undefined : ({ "--inspector": `${inspector.size}px` } as CSSProperties);
  return (
    <div className="editor" data-view={view} data-inspector={isInspectorCollapsed ? "collapsed" : undefined} style={style}>
      <EditorHeader name={name} view={view} handle={handle} onView={setView} onReview={() => setReviewing(true)} />
      <div className="editor__work">
        <EditorBanners />
        {view === "yaml" ? null : (
          <section className="editor__canvas" data-region data-outline={isOutlineOpen || undefined} aria-label={strings.editor.canvas} style={outlineStyle}>
            {isOutlineOpen ? <OutlinePanel /> : null}
            <CanvasPane outline={{ isOpen: isOutlineOpen, toggle: handle.toggleOutline }} data={{ isOpen: isDataOpen, toggle: handle.toggleData }} />
            {compared === undefined || target === undefined ? null : (
              <Suspense>
                <ShownChanges deployed={compared} target={target} onReview={() => setReviewing(true)} onHide={endReview} />
              </Suspense>
            )}
          </section>
        )}
        {view === "canvas" ? null : (
          <section className="editor__source" data-region aria-label={strings.editor.source}>
            <Suspense fallback={<p className="muted">{strings.common.loading}</p>}>
              <SourceView />
            </Suspense>
          </section>
        )}
        {isDataOpen ? (
          <Suspense fallback={<aside className="editor__data" />}>
            <DataPanel />
          </Suspense>
        ) : null}
        {view === "canvas" ? <InspectorPanel /> : null}
        <Dock tab={tab} onTab={showTab}>
          <Suspense>
            <BreakpointBar onHeld={() => changePanel("data", { isCollapsed: false })} />
          </Suspense>
        </Dock>
      </div>
      <ConflictDialog />
      {isReviewing && target !== undefined ? (
        <Suspense>
          <ReviewDialog
            target={target}
            onClose={endReview}
            onChecked={setCompared}
            onShow={(path) => {
              setReviewing(false);
              setView("canvas");
              if (path !== undefined) editor.select(path);
              // The dialog restores the previous focus when it closes, so the card is focused after that.
              requestAnimationFrame(() => focusSelected(editor));
            }}
            onDeploy={(reviewed) => {
              endReview();
              deployNow(editor, reviewed);
            }}
          />
        </Suspense>
      ) : null}
    </div>
  );
}

/** The view is part of the URL, so that a link or a reload shows the same view. */
function useView(): readonly [View, (view: View) => void] {
  const [search, setSearch] = useSearchParams();
  const requestedView = search.get("view");
  const view: View = requestedView === "split" || requestedView === "yaml" ? requestedView : "canvas";
  return useMemo(() => [view, (next: View) => setSearch(next === "canvas" ? {} : { view: next }, { replace: true })] as const, [view, setSearch]);
}

function handleOf(editor: Editor, trial: Trial, setView: (view: View) => void, showTab: (tab: DockTabId) => void, review: () => void): EditorHandle {
  return {
    get flow() {
      return editor.flow;
    },
    undo: () => editor.undo(),
    redo: () => editor.redo(),
    save: () => void editor.save(),
    // For a target on another machine, the changes are shown first.
    deploy: () => (isLocalTarget() ? deployNow(editor) : review()),
    runTests: () => {
      showTab("tests");
      void trial.runTests();
    },
    tryIt: () => {
      showTab("try");
      trial.start();
    },
    setView,
    toggleOutline: () => togglePanel("outline"),
    toggleData: () => togglePanel("data"),
    toggleInspector: () => togglePanel("inspector"),
    toggleDock: () => togglePanel("dock"),
    run: (command: DocumentCommand) => void runCommand(editor, command, "command"),
  };
}

/** `reviewed` is the hash of the deployed version that the user agreed to replace. */
function deployNow(editor: Editor, reviewed: string | null = null): void {
  const { target, loadRuntime } = useWorkspace.getState();
  void editor.deploy(target ?? null, reviewed).then(loadRuntime);
}

/** Validates the text on the runtime shortly after the last change. */
function useLint(editor: Editor): void {
  const text = useEditorState(({ flow }) => flow.text);
  const target = useWorkspace((state) => state.target);
  const reachable = useWorkspace((state) => state.runtime.reachable);
  useEffect(() => {
    if (isBroken(editor.flow) || reachable === false) return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      runtimeAt(target)
        .call("POST /flows/validate", { query: { id: editor.id }, body: { yaml: text }, signal: controller.signal })
        .then(
          ({ problems }) => editor.setProblems(text, problems),
          () => undefined,
        );
    }, lintDebounceMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [editor, text, target, reachable]);
}
