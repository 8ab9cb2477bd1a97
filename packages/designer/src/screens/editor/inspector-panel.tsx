import { pathKey } from "@sluice/model";
import { PanelRightClose, PanelRightOpen, X } from "lucide-react";
import { useEffect } from "react";
import { cardOf, focusSelected } from "../../canvas/canvas-actions.ts";
import { useCanvasUi } from "../../canvas/canvas-ui.ts";
import { Button } from "../../controls/button.tsx";
import { Separator } from "../../controls/separator.tsx";
import { useIsNarrow } from "../../controls/use-is-narrow.ts";
import { useEditor, useEditorState } from "../../editor/editor-context.ts";
import { InspectorPane } from "../../inspector/inspector-pane.tsx";
import { strings } from "../../strings.ts";
import { changePanel, panelLimits, usePanels } from "./panel-sizes.ts";

const text = strings.editor;
const defaultSize = 320;

/** The inspector: a column beside the canvas or, on a phone, a sheet over it. */
export function InspectorPanel() {
  return useIsNarrow() ? <InspectorSheet /> : <InspectorColumn />;
}

/** Opened by tapping a card; its upper edge can be dragged. */
function InspectorSheet() {
  const editor = useEditor();
  const isOpen = useCanvasUi((state) => state.isSheetOpen);
  const selection = useEditorState(({ flow }) => flow.selection);
  const { size } = usePanels((state) => state.sheet);
  const close = (): void => {
    useCanvasUi.setState({ isSheetOpen: false });
    focusSelected(editor);
  };
  // Scrolls the selected card out of the area that the sheet covers.
  useEffect(() => {
    if (isOpen && selection !== undefined) cardOf(pathKey(selection))?.scrollIntoView({ block: "start", inline: "nearest" });
  }, [isOpen, selection]);
  if (!isOpen || selection === undefined) return null;
  return (
    <aside
      className="editor__inspector editor__sheet"
      data-region
      aria-label={text.inspector}
      style={size === undefined ? undefined : { height: `min(${size}px, 85dvh)` }}
    >
      <Separator
        label={text.resizeInspector}
        axis="y"
        size={size ?? Math.round(innerHeight / 2)}
        {...panelLimits.sheet}
        onResize={(next) => changePanel("sheet", { size: next })}
        onReset={() => changePanel("sheet", { size: undefined })}
      />
      <Button
        variant="quiet"
        className="panel__toggle"
        icon={<X size={16} aria-hidden="true" />}
        aria-label={text.hideInspector}
        title={text.hideInspector}
        onClick={close}
      />
      <div className="editor__inspector-content">
        <InspectorPane />
      </div>
    </aside>
  );
}

/** A column that can be resized at its border and collapsed to a strip. */
function InspectorColumn() {
  const { size, isCollapsed } = usePanels((state) => state.inspector);
  const Icon = isCollapsed ? PanelRightOpen : PanelRightClose;
  return (
    <aside className="editor__inspector" data-region aria-label={text.inspector}>
      {isCollapsed ? null : (
        <Separator
          label={text.resizeInspector}
          axis="x"
          size={size ?? defaultSize}
          {...panelLimits.inspector}
          onResize={(next) => changePanel("inspector", { size: next })}
          onReset={() => changePanel("inspector", { size: undefined })}
        />
      )}
      <Button
        variant="quiet"
        className="panel__toggle"
        icon={<Icon size={16} aria-hidden="true" />}
        aria-label={isCollapsed ? text.showInspector : text.hideInspector}
        title={isCollapsed ? text.showInspector : text.hideInspector}
        onClick={() => changePanel("inspector", { isCollapsed: !isCollapsed })}
      />
      {isCollapsed ? null : (
        <div className="editor__inspector-content">
          <InspectorPane />
        </div>
      )}
    </aside>
  );
}
