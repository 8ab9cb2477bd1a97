import { useEffect, useMemo, useRef, type ClipboardEvent, type FocusEvent, type MouseEvent } from "react";
import { useCatalog, useCatalogUpkeep } from "../catalog/use-catalog.ts";
import { copiedText, pasteSteps } from "../commands/paste-steps.ts";
import { removeStep } from "../commands/remove-step.ts";
import { pathKey, type Outline } from "../document/outline.ts";
import { isBroken, selectedSteps, stepAt, type OpenFlow } from "../document/open-flow.ts";
import { problemsByStep } from "../document/problem-places.ts";
import { useEditor, useEditorState } from "../screens/editor/editor-context.ts";
import { useProblems } from "../screens/editor/use-problems.ts";
import { strings } from "../strings.ts";
import { actOn, focusSelected } from "./canvas-actions.ts";
import { onTreeKey } from "./canvas-keys.ts";
import { CanvasTools } from "./canvas-tools.tsx";
import { openPicker, setZoom, useCanvasUi } from "./canvas-ui.ts";
import { CardMenu } from "./card-menu.tsx";
import { RouteTree, type TreeFacts } from "./route-tree.tsx";
import { IconSheet } from "./step-icon.tsx";
import { StepPicker } from "./step-picker.tsx";
import { pathOf, placeOf, useCardDrag, usePan } from "./use-drag.ts";
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
  useCatalogUpkeep();
  useWheelZoom(pane);
  useKeptFocus(pane, flow);
  const onFocus = (event: FocusEvent): void => {
    const key = (event.target as HTMLElement).dataset["key"];
    // A step that belongs to a selection of several keeps it.
    if (key !== undefined && !selectedSteps(editor.flow).some((step) => pathKey(step.path) === key)) editor.select(pathOf(key));
  };
  const onClick = (event: MouseEvent): void => {
    const target = event.target as Element;
    const place = placeOf(target);
    if (place !== undefined) return openPicker({ for: "insert", place });
    const branchOf = target.closest<HTMLElement>("[data-branch-of]")?.dataset["branchOf"];
    if (branchOf !== undefined) return openPicker({ for: "branch", step: pathOf(branchOf) });
    const key = target.closest<HTMLElement>("[data-key]")?.dataset["key"];
    if (key !== undefined && !event.shiftKey) editor.select(pathOf(key));
  };
  // Before the focus moves, so that Shift extends the selection instead of starting a new one.
  const onMouseDown = (event: MouseEvent): void => {
    const key = (event.target as Element).closest<HTMLElement>("[data-key]")?.dataset["key"];
    const [first] = selectedSteps(editor.flow);
    const to = key === undefined ? undefined : stepAt(editor.flow, pathOf(key));
    if (!event.shiftKey || first === undefined || to === undefined || pathKey(first.listPath) !== pathKey(to.listPath)) return;
    editor.select(to.path, editor.flow.anchor ?? first.index);
  };
  return (
    <>
      <div
        className="canvas"
        ref={pane}
        data-broken={isBroken(flow) || undefined}
        onFocus={onFocus}
        onClick={onClick}
        onMouseDown={onMouseDown}
        onDoubleClick={(event) => (event.target as Element).closest("[data-key]") !== null && focusFirstField()}
        onContextMenu={(event) => {
          if ((event.target as Element).closest("[data-key]") === null) return;
          event.preventDefault();
          useCanvasUi.setState({ menu: { x: event.clientX, y: event.clientY } });
        }}
        onMouseOver={(event) => tell(event.target as HTMLElement)}
        onKeyDown={(event) => onTreeKey(event, editor)}
        onCopy={(event) => copy(event, copiedText(editor.flow))}
        onCut={(event) => copy(event, copiedText(editor.flow)) && actOn(editor, removeStep)}
        onPaste={(event) => {
          if (isTyping(event)) return;
          const command = pasteSteps(words.paste, event.clipboardData.getData("text/plain"));
          if (command === undefined) return;
          event.preventDefault();
          actOn(editor, command);
        }}
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
  const { good, text } = flow;
  // By what they follow from and not by the flow, which is another one with every selection.
  const faults = useMemo(() => problemsByStep({ good, text }, problems), [good, text, problems]);
  const facts = useMemo((): TreeFacts => ({ catalog, folded, faults }), [catalog, folded, faults]);
  const outline = good?.outline;
  if (outline === undefined || (outline.routes.length === 0 && outline.entities.length === 0)) {
    return (
      <div className="empty">
        <h2>{words.empty}</h2>
        <p className="muted">{words.emptyHint}</p>
      </div>
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

const noEntities: Outline["entities"] = [];

function copy(event: ClipboardEvent, text: string | undefined): boolean {
  if (isTyping(event) || text === undefined || (document.getSelection()?.toString() ?? "") !== "") return false;
  event.clipboardData.setData("text/plain", text);
  event.preventDefault();
  return true;
}

const isTyping = (event: ClipboardEvent): boolean => event.target instanceof Element && event.target.closest("input, textarea") !== null;

/** What is cut off on a card is told when the mouse rests on it; given only then, since there may be many cards. */
function tell(target: HTMLElement): void {
  if (target.title !== "") return;
  if (target.matches(".card__title, .card__subtitle")) target.title = target.textContent ?? "";
  else if (target.matches(".gap")) target.title = words.insertHere;
}

function focusFirstField(): void {
  document.querySelector<HTMLElement>(".editor__inspector [role=tabpanel] :is(input, select, textarea)")?.focus();
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
