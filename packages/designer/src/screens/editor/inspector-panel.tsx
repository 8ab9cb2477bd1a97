import { PanelRightClose, PanelRightOpen } from "lucide-react";
import { Button } from "../../controls/button.tsx";
import { Separator } from "../../controls/separator.tsx";
import { InspectorPane } from "../../inspector/inspector-pane.tsx";
import { strings } from "../../strings.ts";
import { changePanel, panelLimits, usePanels } from "./panel-sizes.ts";

const words = strings.editor;
const defaultSize = 320;

/** The column of the inspector: resized at its border, collapsed to a strip. */
export function InspectorPanel() {
  const { size, isCollapsed } = usePanels((state) => state.inspector);
  const Icon = isCollapsed ? PanelRightOpen : PanelRightClose;
  return (
    <aside className="editor__inspector" data-region aria-label={words.inspector}>
      {isCollapsed ? null : (
        <Separator
          label={words.resizeInspector}
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
        aria-label={isCollapsed ? words.openInspector : words.closeInspector}
        title={isCollapsed ? words.openInspector : words.closeInspector}
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
