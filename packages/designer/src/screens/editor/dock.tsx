import { useId } from "react";
import { strings } from "../../strings.ts";
import { dockTabs, type DockTabId } from "./dock-tabs.tsx";
import { useProblems } from "./use-problems.ts";

/** The lower part of the editor: one tab at a time, keys as in any list of tabs. */
export function Dock({ tab, onTab }: { readonly tab: DockTabId; readonly onTab: (tab: DockTabId) => void }) {
  const id = useId();
  const problems = useProblems();
  const shown = dockTabs.find((entry) => entry.id === tab) ?? dockTabs[0];
  const Content = shown?.content;
  return (
    <section className="dock" data-tall={shown?.isTall} aria-label={strings.editor.dock}>
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
            onClick={() => onTab(entry.id)}
          >
            {entry.id === "problems" ? strings.problems.count(problems.length) : entry.title}
          </button>
        ))}
      </div>
      <div className="dock__panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tab}`} tabIndex={0}>
        {Content === undefined ? null : <Content />}
      </div>
    </section>
  );
}
