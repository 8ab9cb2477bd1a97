import { useState, type CSSProperties, type DragEvent, type KeyboardEvent } from "react";
import { useTree } from "../../../controls/use-tree.ts";
import type { SourceField, TargetField } from "../../../mappings/mapping-fields.ts";
import { mapperStrings as labels } from "../../../strings/mapper.ts";

const fieldType = "application/x-sluice-source-field";
const targetType = "application/x-sluice-target-field";

interface SourceTreeProps {
  readonly fields: readonly SourceField[];
  /** The paths that the selected target reads. */
  readonly used: ReadonlySet<string>;
  /** The paths that any target reads. */
  readonly linked: ReadonlySet<string>;
  readonly linking: string | undefined;
  readonly onLink: (field: SourceField) => void;
}

/** The fields of the sample. A field is linked by dragging it onto a target, or with L or Enter. */
export function SourceTree({ fields, used, linked, linking, onLink }: SourceTreeProps) {
  const [current, setCurrent] = useState("");
  const navigate = useTree();
  const tabStop = fields.some(({ path }) => path === current) ? current : fields[0]?.path;
  if (fields.length === 0) return <p className="muted mapper__note">{labels.noSource}</p>;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const field = fieldOf(fields, event);
    if (field === undefined || navigate(event) || !hasNoModifier(event)) return;
    if (event.key.toLowerCase() !== "l" && event.key !== "Enter") return;
    event.preventDefault();
    onLink(field);
  };
  return (
    <div className="mapper__tree" role="tree" aria-label={labels.sourceFields} data-side="source" onKeyDown={onKeyDown}>
      {fields.map((field) => {
        const { path, name, depth, example, isObjectList } = field;
        return (
          <div
            key={path}
            role="treeitem"
            className="mapper__row"
            data-path={path}
            data-used={used.has(path) || undefined}
            data-linked={linked.has(path) || undefined}
            data-loop={isObjectList || undefined}
            aria-level={depth + 1}
            aria-selected={linking === path}
            tabIndex={path === tabStop ? 0 : -1}
            draggable
            style={{ "--depth": depth } as CSSProperties}
            onFocus={() => setCurrent(path)}
            onDragStart={(event) => {
              event.dataTransfer.setData(fieldType, path);
              event.dataTransfer.effectAllowed = "link";
            }}
          >
            <span className="mapper__name">{name}</span>
            <span className="tree-value">{example}</span>
          </div>
        );
      })}
    </div>
  );
}

export type TargetAction = "formula" | "constant" | "function" | "condition" | "lookup" | "remove" | "rename" | "add" | "up" | "down";

const keys: Readonly<Record<string, TargetAction>> = {
  Enter: "formula",
  "=": "constant",
  f: "function",
  i: "condition",
  v: "lookup",
  Delete: "remove",
  Backspace: "remove",
  F2: "rename",
  Insert: "add",
};

interface TargetTreeProps {
  readonly fields: readonly TargetField[];
  readonly selected: string | undefined;
  readonly errors: ReadonlyMap<string, string>;
  readonly isLinking: boolean;
  readonly onSelect: (path: string) => void;
  /** A source was dropped, or Enter pressed while linking. */
  readonly onLink: (source: string | undefined, target: TargetField) => void;
  /** A target was dropped onto another one. */
  readonly onReorder: (path: string, onto: TargetField) => void;
  readonly onCancel: () => void;
  readonly onAction: (action: TargetAction, target: TargetField) => void;
}

/** The fields of the output, each with its formula. */
export function TargetTree({ fields, selected, errors, isLinking, onSelect, onLink, onReorder, onCancel, onAction }: TargetTreeProps) {
  const navigate = useTree();
  const [dropTarget, setDropTarget] = useState<string | undefined>(undefined);
  const tabStop = fields.some(({ path }) => path === selected) ? selected : fields[0]?.path;
  if (fields.length === 0) return <p className="muted mapper__note">{labels.noTarget}</p>;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const field = fieldOf(fields, event);
    if (field === undefined) return;
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      return onAction(event.key === "ArrowUp" ? "up" : "down", field);
    }
    if (navigate(event)) return;
    if (isLinking && (event.key === "Enter" || event.key === "Escape")) {
      event.preventDefault();
      return event.key === "Enter" ? onLink(undefined, field) : onCancel();
    }
    const action = hasNoModifier(event) ? (keys[event.key] ?? keys[event.key.toLowerCase()]) : undefined;
    if (action === undefined) return;
    event.preventDefault();
    onAction(action, field);
  };
  const drop = (event: DragEvent, field: TargetField): void => {
    setDropTarget(undefined);
    const source = event.dataTransfer.getData(fieldType);
    const movedTarget = event.dataTransfer.getData(targetType);
    if (source === "" && movedTarget === "") return;
    event.preventDefault();
    if (source === "") onReorder(movedTarget, field);
    else onLink(source, field);
  };
  return (
    <div className="mapper__tree" role="tree" aria-label={labels.targetFields} data-side="target" onKeyDown={onKeyDown}>
      {fields.map((field) => {
        const { path, name, depth, formula, required, isGroup } = field;
        const isLoop = isGroup && name.endsWith("[]");
        const isMissing = required && formula === undefined;
        const error = errors.get(path);
        return (
          <div
            key={path}
            role="treeitem"
            className="mapper__row mapper__row--target"
            data-path={path}
            data-over={dropTarget === path || undefined}
            data-linked={(formula ?? "") !== "" || undefined}
            data-loop={isLoop || undefined}
            data-invalid={isMissing || error !== undefined || undefined}
            aria-level={depth + 1}
            aria-selected={path === selected}
            tabIndex={path === tabStop ? 0 : -1}
            title={error}
            draggable={field.rule !== undefined}
            style={{ "--depth": depth } as CSSProperties}
            onDragStart={(event) => {
              event.dataTransfer.setData(targetType, path);
              event.dataTransfer.effectAllowed = "move";
            }}
            onFocus={() => onSelect(path)}
            onClick={() => onSelect(path)}
            onDoubleClick={() => onAction("formula", field)}
            onDragOver={(event) => {
              if (!event.dataTransfer.types.some((type) => type === fieldType || type === targetType)) return;
              event.preventDefault();
              setDropTarget(path);
            }}
            onDragLeave={() => setDropTarget(undefined)}
            onDrop={(event) => drop(event, field)}
          >
            <span className="mapper__name">
              {name}
              {required ? (
                <span className="mapper__required" aria-hidden="true">
                  {" "}
                  *
                </span>
              ) : null}
            </span>
            <span className="visually-hidden">{labels.rowState(required, (formula ?? "") !== "" && !isLoop, error)}</span>
            <span className="tree-value">{shownSource(field)}</span>
          </div>
        );
      })}
    </div>
  );
}

function shownSource({ name, isGroup, formula = "" }: TargetField): string {
  if (isGroup && !name.endsWith("[]")) return "";
  if (formula === "") return labels.noFormula;
  return isGroup ? labels.eachOf(formula) : formula;
}

/** The field whose row has the focus. */
const fieldOf = <Field extends { readonly path: string }>(fields: readonly Field[], { target }: KeyboardEvent): Field | undefined =>
  fields.find(({ path }) => path === (target as HTMLElement).dataset["path"]);

const hasNoModifier = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => !ctrlKey && !metaKey && !altKey;
