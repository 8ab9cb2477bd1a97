import { useMemo, useState } from "react";
import { useCatalog } from "../../catalog/use-catalog.ts";
import { focusSelected } from "../../canvas/canvas-actions.ts";
import { entityLabel, stepLabel, triggerLabel, type CardLabel } from "../../canvas/card-label.ts";
import { StepIcon } from "../../canvas/step-icon.tsx";
import { Separator } from "../../controls/separator.tsx";
import { useEditor, useEditorState } from "../../editor/editor-context.ts";
import { strings } from "../../strings.ts";
import type { FlowCatalog } from "../../catalog/flow-catalog.ts";
import { type Outline, type Path, pathKey, type StepOutline } from "@sluice/model";
import { changePanel, panelLimits, usePanels } from "./panel-sizes.ts";
import "./outline-panel.css";

const text = strings.outline;
export const outlineSize = 240;

interface Line {
  readonly path: Path;
  readonly depth: number;
  readonly label: CardLabel;
}

/** The steps of all routes and top-level elements as an indented list that can be filtered. */
export function OutlinePanel() {
  const editor = useEditor();
  const catalog = useCatalog();
  const outline = useEditorState((state) => state.flow.lastValid?.outline);
  const selected = useEditorState((state) => (state.flow.selection === undefined ? undefined : pathKey(state.flow.selection)));
  const { size } = usePanels((state) => state.outline);
  const [query, setQuery] = useState("");
  const lines = useMemo(() => linesOf(outline, catalog), [outline, catalog]);
  const searchText = query.trim().toLowerCase();
  const matches = lines.filter(({ label }) => `${label.title} ${label.subtitle}`.toLowerCase().includes(searchText));
  return (
    <nav className="outline" aria-label={text.title} style={{ width: size ?? outlineSize }}>
      <Separator
        label={text.resize}
        axis="x"
        panel="before"
        size={size ?? outlineSize}
        {...panelLimits.outline}
        onResize={(next) => changePanel("outline", { size: next })}
        onReset={() => changePanel("outline", { size: undefined })}
      />
      <input
        className="input"
        type="search"
        aria-label={text.filter}
        placeholder={text.filter}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      <ul className="outline__list">
        {matches.map(({ path, depth, label }) => (
          <li key={pathKey(path)}>
            <button
              type="button"
              className="outline__line"
              aria-current={pathKey(path) === selected ? "true" : undefined}
              style={{ paddingInlineStart: 8 + depth * 14 }}
              title={label.subtitle}
              onClick={() => {
                editor.select(path);
                focusSelected(editor);
              }}
            >
              <StepIcon icon={label.icon} kind={label.kind} />
              <span className="outline__title">{label.title}</span>
            </button>
          </li>
        ))}
      </ul>
      {matches.length === 0 ? <p className="muted">{strings.common.nothingFound}</p> : null}
    </nav>
  );
}

function linesOf(outline: Outline | undefined, catalog: FlowCatalog | undefined): readonly Line[] {
  const lines: Line[] = [];
  const add = (steps: readonly StepOutline[], depth: number): void => {
    for (const step of steps) {
      lines.push({ path: step.path, depth, label: stepLabel(step, catalog) });
      for (const block of step.blocks) add(block.steps, depth + 1);
    }
  };
  for (const route of outline?.routes ?? []) {
    lines.push({ path: route.from.path, depth: 0, label: triggerLabel(route, catalog) });
    add(route.steps, 1);
  }
  for (const entity of outline?.entities ?? []) {
    lines.push({ path: entity.path, depth: 0, label: entityLabel(entity, catalog) });
    for (const block of entity.blocks) add(block.steps, 1);
  }
  return lines;
}
