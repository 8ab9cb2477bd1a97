import { CircleAlert } from "lucide-react";
import { Suspense, useId, useMemo, useRef, useState } from "react";
import { useIsNarrow } from "../controls/use-is-narrow.ts";
import { useCatalog } from "../catalog/use-catalog.ts";
import { selectedSteps } from "../document/open-flow.ts";
import { problemsByStep } from "../document/problems-by-step.ts";
import { useEditorState } from "../editor/editor-context.ts";
import { useProblems } from "../editor/use-problems.ts";
import { strings } from "../strings.ts";
import { formTarget } from "./form-target.ts";
import { inspectorTabs as tabsFor } from "./inspector-tabs.ts";
import "./inspector.css";

const text = strings.inspector;

/** The inspector of the selection: form, YAML, documentation. */
export function InspectorPane() {
  const flow = useEditorState((state) => state.flow);
  const catalog = useCatalog();
  const problems = useProblems();
  const target = useMemo(() => formTarget(flow, catalog), [flow, catalog]);
  const [tab, setTab] = useState("properties");
  const inspectorTabs = tabsFor(useIsNarrow());
  const id = useId();
  const pane = useRef<HTMLDivElement>(null);
  const selectedCount = selectedSteps(flow).length;
  if (target === undefined || selectedCount > 1) {
    return (
      <>
        <p className="muted">{selectedCount > 1 ? text.several(selectedCount) : text.none}</p>
        <p className="muted">{selectedCount > 1 ? text.severalHint : text.noneHint}</p>
      </>
    );
  }
  const stepProblems = problemsByStep(flow, problems).get(target.key) ?? [];
  const Content = (inspectorTabs.find((entry) => entry.id === tab) ?? inspectorTabs[0])?.content;
  return (
    <div
      className="inspector"
      ref={pane}
      tabIndex={-1}
      // Escape leaves the field but not the inspector: on the canvas the next letters would be commands.
      onKeyDown={(event) => event.key === "Escape" && !event.defaultPrevented && pane.current?.focus()}
    >
      <div>
        <h2>{target.title}</h2>
        <p className="mono muted inspector__where">{target.where}</p>
      </div>
      <div
        className="segments inspector__tabs"
        role="tablist"
        aria-label={text.tabs}
        onKeyDown={(event) => {
          const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
          if (by === 0) return;
          const index = (inspectorTabs.findIndex((entry) => entry.id === tab) + by + inspectorTabs.length) % inspectorTabs.length;
          setTab(inspectorTabs[index]?.id ?? "properties");
          (event.currentTarget.children[index] as HTMLElement | undefined)?.focus();
        }}
      >
        {inspectorTabs.map((entry) => (
          <button
            key={entry.id}
            type="button"
            role="tab"
            id={`${id}-${entry.id}`}
            className="button"
            aria-selected={tab === entry.id}
            aria-controls={`${id}-panel`}
            tabIndex={tab === entry.id ? 0 : -1}
            onClick={() => setTab(entry.id)}
          >
            {entry.title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tab}`} className="inspector__panel" key={`${target.key} ${target.declarationName}`}>
        <Suspense>{Content === undefined ? null : <Content flow={flow} catalog={catalog} target={target} problems={stepProblems} />}</Suspense>
      </div>
      {/* Below the form: a problem that appears and disappears while the user types must not move the field. */}
      {stepProblems.map((problem, index) => (
        <p key={index} className="inspector__problem">
          <CircleAlert size={14} aria-hidden="true" />
          <span>{problem.message}</span>
        </p>
      ))}
    </div>
  );
}
