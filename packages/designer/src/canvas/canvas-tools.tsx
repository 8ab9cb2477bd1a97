import { Activity, ArrowDown, ArrowRight, Braces, ListTree, Maximize, MoreHorizontal, Plus, Route, Search, ZoomIn, ZoomOut } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { formatShortcut } from "../commands/shortcut.ts";
import { Button } from "../controls/button.tsx";
import { useIsNarrow } from "../controls/use-is-narrow.ts";
import { everyStep, pathKey } from "@sluice/model";
import { useEditor, useEditorState } from "../editor/editor-context.ts";
import { toggleMetrics, useMetricsSwitch } from "../metrics/live-metrics.tsx";
import { strings } from "../strings.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";
import { canvasActions, cardOf, focusSelected } from "./canvas-actions.ts";
import { setZoom, useCanvasUi } from "./canvas-ui.ts";

const text = strings.canvas;

interface PanelSwitch {
  readonly isOpen: boolean;
  toggle(): void;
}

export interface CanvasToolsProps {
  readonly outline: PanelSwitch;
  readonly data: PanelSwitch;
}

/** The toolbars above the canvas: actions on the left, direction and zoom on the right. */
export function CanvasTools({ outline, data }: CanvasToolsProps) {
  const editor = useEditor();
  const zoom = useCanvasUi((state) => state.zoom);
  const direction = useCanvasUi((state) => state.direction);
  const isNarrow = useIsNarrow();
  const isFindOpen = useCanvasUi((state) => state.isFindOpen);
  const hasSelection = useEditorState((state) => state.flow.selection !== undefined);
  const isDeployed = useWorkspace((state) => state.runtime.flows.has(editor.id));
  const showsMetrics = useMetricsSwitch((state) => state.isOn);
  const run = (name: string): void => canvasActions.find((action) => action.name === name)?.run(editor);
  return (
    <div className="canvas-bars">
      <div className="canvas-bar" role="toolbar" aria-label={text.tools}>
        <Button variant="quiet" icon={<Plus size={16} aria-hidden="true" />} title={formatShortcut("A")} onClick={() => run("add-step")}>
          {text.addStep}
        </Button>
        <Button variant="quiet" icon={<Route size={16} aria-hidden="true" />} title={formatShortcut("Shift+R")} onClick={() => run("add-element")}>
          {text.addElement}
        </Button>
        <Button
          variant="quiet"
          icon={<MoreHorizontal size={16} aria-hidden="true" />}
          disabled={!hasSelection}
          aria-haspopup="menu"
          onClick={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            useCanvasUi.setState({ menu: { x: box.left, y: box.bottom + 4 } });
          }}
        >
          {text.actions}
        </Button>
        <Button
          variant="quiet"
          icon={<Search size={16} aria-hidden="true" />}
          aria-label={text.find}
          title={`${text.find} (${formatShortcut("Mod+F")})`}
          onClick={() => run("find")}
        />
        <Button
          variant="quiet"
          icon={<ListTree size={16} aria-hidden="true" />}
          aria-label={strings.outline.open}
          aria-pressed={outline.isOpen}
          title={`${strings.outline.open} (${formatShortcut("Shift+O")})`}
          onClick={outline.toggle}
        />
        {isNarrow ? null : (
          <Button
            variant="quiet"
            icon={<Braces size={16} aria-hidden="true" />}
            aria-label={strings.data.open}
            aria-pressed={data.isOpen}
            title={`${strings.data.open} (${formatShortcut("Shift+D")})`}
            onClick={data.toggle}
          />
        )}
        {isDeployed ? (
          <Button
            variant="quiet"
            icon={<Activity size={16} aria-hidden="true" />}
            aria-pressed={showsMetrics}
            title={strings.metrics.hint}
            onClick={toggleMetrics}
          >
            {strings.metrics.show}
          </Button>
        ) : null}
      </div>
      {isFindOpen ? <Find /> : null}
      <span className="grow" />
      <div className="canvas-bar" role="toolbar" aria-label={text.zoom}>
        <Button
          variant="quiet"
          icon={direction === "down" ? <ArrowRight size={16} aria-hidden="true" /> : <ArrowDown size={16} aria-hidden="true" />}
          aria-label={direction === "down" ? text.directionRight : text.directionDown}
          title={`${direction === "down" ? text.directionRight : text.directionDown} (${formatShortcut("X")})`}
          onClick={() => run("direction")}
        />
        <Button
          variant="quiet"
          icon={<ZoomOut size={16} aria-hidden="true" />}
          aria-label={text.zoomOut}
          title={text.zoomOut}
          onClick={() => setZoom(zoom / 1.2)}
        />
        <Button
          variant="quiet"
          aria-label={`${text.actualSize}, ${Math.round(zoom * 100)}%`}
          title={`${text.actualSize} (0)`}
          onClick={() => run("actual-size")}
        >
          {Math.round(zoom * 100)}%
        </Button>
        <Button
          variant="quiet"
          icon={<ZoomIn size={16} aria-hidden="true" />}
          aria-label={text.zoomIn}
          title={text.zoomIn}
          onClick={() => setZoom(zoom * 1.2)}
        />
        <Button variant="quiet" icon={<Maximize size={16} aria-hidden="true" />} aria-label={text.fit} title={`${text.fit} (1)`} onClick={() => run("fit")} />
      </div>
    </div>
  );
}

/** The search bar: Enter selects the next step whose name, id, description or detail contains the text, Shift+Enter the previous one. */
function Find() {
  const editor = useEditor();
  const outline = useEditorState((state) => state.flow.lastValid?.outline);
  const [query, setQuery] = useState("");
  const [matchIndex, setMatchIndex] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const matches = useMemo(() => {
    const searchText = query.trim().toLowerCase();
    if (searchText === "" || outline === undefined) return [];
    const lists = [...outline.routes, ...outline.entities.flatMap(({ blocks }) => blocks)];
    return lists
      .flatMap(({ steps }) => [...everyStep(steps)])
      .filter((step) => `${step.name} ${step.id} ${step.description ?? ""} ${step.detail}`.toLowerCase().includes(searchText));
  }, [query, outline]);
  const show = (index: number): void => {
    const step = matches[(index + matches.length) % Math.max(1, matches.length)];
    if (step === undefined) return;
    setMatchIndex((index + matches.length) % matches.length);
    editor.select(step.path);
    cardOf(pathKey(step.path))?.scrollIntoView({ block: "center", inline: "center" });
  };
  const close = (): void => {
    useCanvasUi.setState({ isFindOpen: false });
    focusSelected(editor);
  };
  return (
    <div className="canvas-bar canvas-bar--find" role="search">
      <ListTree size={16} aria-hidden="true" />
      <input
        ref={input}
        className="input"
        aria-label={text.findLabel}
        placeholder={text.findLabel}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setMatchIndex(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") close();
          if (event.key === "Enter")
            show(
              matches.length > 0 && pathKey(matches[matchIndex]?.path ?? []) === pathKey(editor.flow.selection ?? [])
                ? matchIndex + (event.shiftKey ? -1 : 1)
                : matchIndex,
            );
        }}
      />
      <span className="muted" role="note">
        {matches.length === 0 ? "" : text.found(matchIndex + 1, matches.length)}
      </span>
      <Button variant="quiet" onClick={close}>
        {strings.common.close}
      </Button>
    </div>
  );
}
