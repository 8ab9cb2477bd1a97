import { useEffect, useMemo, useRef, useState, type CSSProperties } from "react";
import { useCatalog } from "../catalog/use-catalog.ts";
import { EmptyState } from "../controls/empty-state.tsx";
import { pathKey, type Outline } from "@sluice/model";
import { isBroken, type OpenFlow } from "../document/open-flow.ts";
import { problemsByStep } from "../document/problems-by-step.ts";
import { useEditor, useEditorState } from "../editor/editor-context.ts";
import { useProblems } from "../editor/use-problems.ts";
import { strings } from "../strings.ts";
import { focusSelected, showTrigger } from "./canvas-actions.ts";
import { useCanvasKeys } from "./canvas-keys.ts";
import { CanvasTools, type CanvasToolsProps } from "./canvas-tools.tsx";
import { setZoom, useCanvasUi } from "./canvas-ui.ts";
import { CardMenu } from "./card-menu.tsx";
import { OverviewMap } from "./overview-map.tsx";
import { RemovedRoutes } from "./removed-steps.tsx";
import { RouteTree, type TreeDetails } from "./route-tree.tsx";
import { IconSheet } from "./step-icon.tsx";
import { StepPicker } from "./step-picker.tsx";
import { clipboardHandlers, mouseHandlers } from "./canvas-handlers.ts";
import { useCardDrag, usePan } from "./use-drag.ts";
import "./canvas.css";

const labels = strings.canvas;

/** Zoom levels below which cards show only their title, and only their icon. */
const titleZoom = 0.7;
const tileZoom = 0.3;

/** Draws the flow: one tree per route, from the last text that could be parsed. */
export function CanvasPane({ outline, data }: CanvasToolsProps) {
  const editor = useEditor();
  const flow = useEditorState((state) => state.flow);
  const zoom = useCanvasUi((state) => state.zoom);
  const direction = useCanvasUi((state) => state.direction);
  const pane = useRef<HTMLDivElement>(null);
  const drag = useCardDrag(editor);
  const pan = usePan();
  const onKeyDown = useCanvasKeys(editor);
  const mouse = mouseHandlers(editor);
  const clipboard = clipboardHandlers(editor);
  useWheelZoom(pane);
  useTriggerInView(pane, editor.id, flow.lastValid !== undefined);
  useFocusRestore(pane, flow);
  return (
    <>
      <div
        className="canvas"
        ref={pane}
        data-broken={isBroken(flow) || undefined}
        data-direction={direction}
        data-detail={zoom < tileZoom ? "tile" : zoom < titleZoom ? "title" : undefined}
        onMouseOver={(event) => showTooltip(event.target as HTMLElement)}
        onKeyDown={onKeyDown}
        {...mouse}
        {...clipboard}
        {...drag}
        {...pan}
      >
        <IconSheet />
        <div className="canvas__content" style={{ zoom, "--zoom": zoom } as CSSProperties}>
          <Trees flow={flow} />
          <RemovedRoutes />
        </div>
      </div>
      <OverviewMap pane={pane} />
      <CanvasTools outline={outline} data={data} />
      <StepPicker />
      <CardMenu />
    </>
  );
}

function Trees({ flow }: { readonly flow: OpenFlow }) {
  const catalog = useCatalog();
  const collapsed = useCanvasUi((state) => state.collapsed);
  const direction = useCanvasUi((state) => state.direction);
  const problems = useProblems();
  const { lastValid, text, syntax } = flow;
  // Memoized by its inputs instead of the flow, which changes with every selection.
  const stepProblems = useStableProblems(useMemo(() => problemsByStep({ lastValid, text }, problems), [lastValid, text, problems]));
  const details = useMemo((): TreeDetails => ({ catalog, collapsed, problems: stepProblems, direction }), [catalog, collapsed, stepProblems, direction]);
  const outline = lastValid?.outline;
  if (outline === undefined || (outline.routes.length === 0 && outline.entities.length === 0)) {
    const syntaxError = outline === undefined ? syntax[0] : undefined;
    return syntaxError === undefined ? (
      <EmptyState title={labels.empty} text={labels.emptyHint} />
    ) : (
      <EmptyState title={labels.invalidYaml} text={labels.invalidYamlHint(syntaxError.span.line)} />
    );
  }
  const routes = outline.routes.length === 0 ? [undefined] : outline.routes;
  return routes.map((route, index) => (
    <section
      key={route === undefined ? "" : pathKey(route.path)}
      className="canvas__route"
      aria-label={route === undefined ? labels.othersLabel : labels.routeLabel(route.id)}
    >
      {routes.length > 1 && route !== undefined ? (
        <h2 className="canvas__heading">
          {route.description ?? route.id} {route.description === undefined ? null : <span className="mono muted">{route.id}</span>}
        </h2>
      ) : null}
      <RouteTree route={route} entities={index === routes.length - 1 ? outline.entities : noEntities} details={details} />
    </section>
  ));
}

type ProblemMap = TreeDetails["problems"];

/** Returns the previous map while the number of problems per step is unchanged: cards show only that number. */
function useStableProblems(problems: ProblemMap): ProblemMap {
  const [current, setCurrent] = useState(problems);
  if (current === problems) return current;
  if (current.size === problems.size && [...problems].every(([key, { length }]) => current.get(key)?.length === length)) return current;
  setCurrent(problems);
  return problems;
}

const noEntities: Outline["entities"] = [];

/** Sets an element's tooltip when it is first hovered instead of on render, because there may be many cards. */
function showTooltip(target: HTMLElement): void {
  if (target.title !== "") return;
  if (target.matches(".card__title, .card__subtitle")) target.title = target.textContent ?? "";
  else if (target.matches(".gap")) target.title = labels.insertHere;
}

/** Ctrl+wheel zooms; only non-passive listeners can prevent the browser from zooming the page. */
function useWheelZoom(pane: React.RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const element = pane.current;
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      setZoom(useCanvasUi.getState().zoom * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  }, [pane]);
}

/** A flow wider than the canvas opens with its trigger in view. */
function useTriggerInView(pane: React.RefObject<HTMLDivElement | null>, flowId: string, isDrawn: boolean): void {
  useEffect(() => {
    if (isDrawn && pane.current !== null) showTrigger(pane.current);
  }, [pane, flowId, isDrawn]);
}

/** Undo may remove the focused card: move the focus to the selected one. A selection made elsewhere is scrolled into view. */
function useFocusRestore(pane: React.RefObject<HTMLDivElement | null>, flow: OpenFlow): void {
  const editor = useEditor();
  const hadFocus = useRef(false);
  useEffect(() => {
    const onFocusIn = (): void => {
      hadFocus.current = pane.current?.contains(document.activeElement) === true;
    };
    document.addEventListener("focusin", onFocusIn);
    return () => document.removeEventListener("focusin", onFocusIn);
  }, [pane]);
  useEffect(() => {
    if (hadFocus.current && document.activeElement === document.body) focusSelected(editor);
  }, [editor, flow.text]);
  useEffect(() => {
    const key = flow.selection === undefined ? undefined : pathKey(flow.selection);
    const card = key === undefined ? null : pane.current?.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (card !== document.activeElement) card?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [pane, flow.selection]);
}
