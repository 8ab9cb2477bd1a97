import { ChevronDown, ChevronUp } from "lucide-react";
import { useId, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { Button } from "../../controls/button.tsx";
import { Separator } from "../../controls/separator.tsx";
import { strings } from "../../strings.ts";
import { DeployedPanel } from "./deployed-panel.tsx";
import { dockTabs, type DockTabId } from "./dock-tabs.tsx";
import { changePanel, panelLimits, togglePanel, usePanels } from "./panel-sizes.ts";
import { ShowTabContext } from "./show-tab.ts";
import { useProblems } from "../../editor/use-problems.ts";

const defaultSize = 220;

interface DockProps {
  readonly tab: DockTabId;
  /** Shows a tab, and expands the dock if it is collapsed. */
  readonly onTab: (tab: DockTabId) => void;
  /** Bars above the tabs, which stay visible when the dock is collapsed. */
  readonly children?: ReactNode;
}

/** The lower panel of the editor: one tab at a time, with standard keyboard navigation. */
export function Dock({ tab, onTab, children }: DockProps) {
  const id = useId();
  const problems = useProblems();
  const activeTab = dockTabs.find((entry) => entry.id === tab) ?? dockTabs[0];
  const Content = activeTab?.content;
  const { size, isCollapsed } = usePanels((state) => state.dock);
  const dock = useRef<HTMLElement>(null);
  const [height, setHeight] = useState(defaultSize);
  // The default height depends on the tab; measured after the dock was expanded, because a collapsed one is only a bar.
  useLayoutEffect(() => {
    if (!isCollapsed && dock.current !== null) setHeight(dock.current.offsetHeight);
  }, [isCollapsed, tab]);
  const Icon = isCollapsed ? ChevronUp : ChevronDown;
  return (
    <section
      className="dock"
      ref={dock}
      data-region
      data-tall={activeTab?.isTall}
      data-collapsed={isCollapsed || undefined}
      aria-label={strings.editor.dock}
      style={size === undefined || isCollapsed ? undefined : { height: `min(${size}px, 70vh)` }}
    >
      {isCollapsed ? null : (
        <Separator
          label={strings.editor.resizeDock}
          axis="y"
          size={size ?? height}
          {...panelLimits.dock}
          onResize={(next) => changePanel("dock", { size: next })}
          onReset={() => changePanel("dock", { size: undefined })}
        />
      )}
      {children}
      <DeployedPanel onTry={() => onTab("try")} />
      <div className="dock__bar">
        <div
          className="dock__tabs"
          role="tablist"
          aria-label={strings.editor.dock}
          onKeyDown={(event) => {
            const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
            if (step === 0) return;
            const index = (dockTabs.findIndex((entry) => entry.id === tab) + step + dockTabs.length) % dockTabs.length;
            const next = dockTabs[index];
            if (next !== undefined) onTab(next.id);
            (event.currentTarget.children[index] as HTMLElement | undefined)?.focus();
          }}
        >
          {dockTabs.map((entry) => (
            <button
              key={entry.id}
              type="button"
              role="tab"
              id={`${id}-${entry.id}`}
              className="dock__tab"
              aria-selected={tab === entry.id}
              aria-controls={`${id}-panel`}
              tabIndex={tab === entry.id ? 0 : -1}
              // A second click collapses the dock.
              onClick={() => (tab === entry.id && !isCollapsed ? togglePanel("dock") : onTab(entry.id))}
            >
              {entry.id === "problems" ? strings.problems.count(problems.length) : entry.title}
            </button>
          ))}
        </div>
        <Button
          variant="quiet"
          className="panel__toggle"
          icon={<Icon size={16} aria-hidden="true" />}
          aria-label={isCollapsed ? strings.editor.showDock : strings.editor.hideDock}
          title={isCollapsed ? strings.editor.showDock : strings.editor.hideDock}
          onClick={() => togglePanel("dock")}
        />
      </div>
      <div className="dock__panel" hidden={isCollapsed} role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tab}`} tabIndex={0}>
        <ShowTabContext value={onTab}>{Content === undefined ? null : <Content />}</ShowTabContext>
      </div>
    </section>
  );
}
