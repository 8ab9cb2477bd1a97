import { useEffect, useMemo, useRef, useState } from "react";
import { useCatalog, useCatalogUpkeep } from "../catalog/use-catalog.ts";
import { EmptyState } from "../controls/empty-state.tsx";
import { pathKey, type Outline } from "../document/outline.ts";
import { isBroken, type OpenFlow } from "../document/open-flow.ts";
import { problemsByStep } from "../document/problem-places.ts";
import { useEditor, useEditorState } from "../screens/editor/editor-context.ts";
import { useProblems } from "../screens/editor/use-problems.ts";
import { strings } from "../strings.ts";
import { focusSelected } from "./canvas-actions.ts";
import { onTreeKey } from "./canvas-keys.ts";
import { CanvasTools } from "./canvas-tools.tsx";
import { setZoom, useCanvasUi } from "./canvas-ui.ts";
import { CardMenu } from "./card-menu.tsx";
import { RouteTree, type TreeFacts } from "./route-tree.tsx";
import { IconSheet } from "./step-icon.tsx";
import { StepPicker } from "./step-picker.tsx";
import { clipboardOn, pointingOn } from "./canvas-pointing.ts";
import { useCardDrag, usePan } from "./use-drag.ts";
import "./canvas.css";

const words = strings.canvas;

/** The flow as a picture: one tree per route, drawn from the newest text that could be read. */
export function CanvasPane() {
  const editor = useEditor();
  const flow = useEditorState((state) => state.flow);
  const zoom = useCanvasUi((state) => state.zoom);
  const pane = useRef<HTMLDivElement>(null);
  const drag = useCardDrag(editor);
  const pan = usePan();
  const pointing = pointingOn(editor);
  const clipboard = clipboardOn(editor);
  useCatalogUpkeep();
  useWheelZoom(pane);
  useKeptFocus(pane, flow);
  return (
    <>
      <div
        className="canvas"
        ref={pane}
        data-broken={isBroken(flow) || undefined}
        onMouseOver={(event) => tell(event.target as HTMLElement)}
        onKeyDown={(event) => onTreeKey(event, editor)}
        {...pointing}
        {...clipboard}
        {...drag}
        {...pan}
      >
        <IconSheet />
        <div className="canvas__content" style={{ zoom }}>
          <Trees flow={flow} />
        </div>
      </div>
      <CanvasTools />
      <StepPicker />
      <CardMenu />
    </>
  );
}

function Trees({ flow }: { readonly flow: OpenFlow }) {
  const catalog = useCatalog();
  const folded = useCanvasUi((state) => state.folded);
  const problems = useProblems();
  const { good, text, syntax } = flow;
  // By what they follow from and not by the flow, which is another one with every selection.
  const faults = useSameFaults(useMemo(() => problemsByStep({ good, text }, problems), [good, text, problems]));
  const facts = useMemo((): TreeFacts => ({ catalog, folded, faults }), [catalog, folded, faults]);
  const outline = good?.outline;
  if (outline === undefined || (outline.routes.length === 0 && outline.entities.length === 0)) {
    const fault = outline === undefined ? syntax[0] : undefined;
    return fault === undefined ? (
      <EmptyState title={words.empty} text={words.emptyHint} />
    ) : (
      <EmptyState title={words.unread} text={words.unreadHint(fault.span.line)} />
    );
  }
  const routes = outline.routes.length === 0 ? [undefined] : outline.routes;
  return routes.map((route, index) => (
    <section
      key={route === undefined ? "" : pathKey(route.path)}
      className="canvas__route"
      aria-label={route === undefined ? words.othersLabel : words.routeLabel(route.id)}
    >
      {routes.length > 1 && route !== undefined ? (
        <h2 className="canvas__heading">
          {route.description ?? route.id} {route.description === undefined ? null : <span className="mono muted">{route.id}</span>}
        </h2>
      ) : null}
      <RouteTree route={route} entities={index === routes.length - 1 ? outline.entities : noEntities} facts={facts} />
    </section>
  ));
}

type Faults = TreeFacts["faults"];

/** The map of before as long as each step has as many faults as before: cards show no more of them. */
function useSameFaults(faults: Faults): Faults {
  const [kept, keep] = useState(faults);
  if (kept === faults) return kept;
  if (kept.size === faults.size && [...faults].every(([key, { length }]) => kept.get(key)?.length === length)) return kept;
  keep(faults);
  return faults;
}

const noEntities: Outline["entities"] = [];

/** What is cut off on a card is told when the mouse rests on it; given only then, since there may be many cards. */
function tell(target: HTMLElement): void {
  if (target.title !== "") return;
  if (target.matches(".card__title, .card__subtitle")) target.title = target.textContent ?? "";
  else if (target.matches(".gap")) target.title = words.insertHere;
}

/** Ctrl with the wheel zooms; the browser lets only listeners that are not passive keep it from zooming the page. */
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

/** Undo may take away the card that has the focus: the selected one gets it then. What is selected elsewhere is brought into view. */
function useKeptFocus(pane: React.RefObject<HTMLDivElement | null>, flow: OpenFlow): void {
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
