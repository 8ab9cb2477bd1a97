import type { CSSProperties } from "react";
import { Separator } from "../../controls/separator.tsx";
import { DataContent } from "../../data-panel/data-content.tsx";
import { strings } from "../../strings.ts";
import { changePanel, panelLimits, usePanels } from "./panel-sizes.ts";

const text = strings.data;
const defaultSize = 280;

/** The message at the selected step, beside its form: a tree whose values can be inserted into expressions. */
export function DataPanel() {
  const { size } = usePanels((state) => state.data);
  return (
    <aside className="editor__data" data-region aria-label={text.title} style={size === undefined ? undefined : ({ "--data": `${size}px` } as CSSProperties)}>
      <Separator
        label={text.resize}
        axis="x"
        size={size ?? defaultSize}
        {...panelLimits.data}
        onResize={(next) => changePanel("data", { size: next })}
        onReset={() => changePanel("data", { size: undefined })}
      />
      <h2 className="data__title">{text.title}</h2>
      <DataContent />
    </aside>
  );
}
