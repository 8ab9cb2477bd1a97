import { useId, useRef, type KeyboardEvent } from "react";
import type { Path } from "@sluice/model";
import { documentCommands } from "../commands/document-commands.ts";
import { matchesShortcut } from "../commands/shortcut.ts";
import { pathKey, type BlockOutline, type RouteOutline, type StepOutline } from "../document/outline.ts";
import { useEditor } from "../screens/editor/editor-context.ts";
import { strings } from "../strings.ts";

export interface RouteTreeProps {
  readonly route: RouteOutline;
  readonly selected: string | undefined;
  readonly faultsOf: (path: Path) => number;
  readonly onSelect: (path: Path) => void;
}

/** A route as a tree of steps: one tab stop, arrows walk, the commands of a step by their keys. */
export function RouteTree(props: RouteTreeProps) {
  const { route, selected, onSelect } = props;
  const editor = useEditor();
  const list = useRef<HTMLUListElement>(null);
  const trigger = pathKey(route.from.path);
  const onKeyDown = (event: KeyboardEvent): void => {
    const items = [...(list.current?.querySelectorAll<HTMLElement>("[role=treeitem]") ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const target =
      event.key === "ArrowDown"
        ? items[at + 1]
        : event.key === "ArrowUp"
          ? items[at - 1]
          : event.key === "Home"
            ? items[0]
            : event.key === "End"
              ? items.at(-1)
              : undefined;
    if (target !== undefined && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      target.focus();
      return;
    }
    const command = documentCommands.find(({ shortcut }) => shortcut !== undefined && matchesShortcut(shortcut, event));
    const result = command?.apply(editor.flow);
    if (command === undefined || result === undefined) return;
    event.preventDefault();
    editor.edit(result.edit, command.title, "canvas", result.select);
  };
  return (
    <ul className="route" role="tree" aria-label={strings.canvas.routeLabel(route.id)} ref={list} onKeyDown={onKeyDown}>
      <li role="none" className="node">
        <div
          role="treeitem"
          aria-level={1}
          aria-selected={selected === trigger}
          tabIndex={selected === undefined || selected === trigger || !isInside(route, selected) ? 0 : -1}
          className="card card--trigger"
          onFocus={() => onSelect(route.from.path)}
        >
          <b>{route.description ?? route.id}</b> <small>{route.from.uri}</small>
        </div>
      </li>
      <Steps {...props} steps={route.steps} level={1} />
    </ul>
  );
}

function Steps({ steps, level, ...props }: RouteTreeProps & { readonly steps: readonly StepOutline[]; readonly level: number }) {
  return (
    <>
      {steps.map((step, index) => (
        <Step key={pathKey(step.path)} {...props} step={step} level={level} position={index + 1} total={steps.length} />
      ))}
    </>
  );
}

function Step({
  step,
  level,
  position,
  total,
  ...props
}: RouteTreeProps & { readonly step: StepOutline; readonly level: number; readonly position: number; readonly total: number }) {
  const key = pathKey(step.path);
  const title = step.description ?? step.name;
  const detail = step.disabled ? strings.canvas.disabled : step.detail;
  const faults = props.faultsOf(step.path);
  const group = useId();
  return (
    <li role="none" className="node">
      <div
        role="treeitem"
        aria-level={level}
        aria-posinset={position}
        aria-setsize={total}
        aria-selected={props.selected === key}
        aria-expanded={step.blocks.length === 0 ? undefined : true}
        aria-owns={step.blocks.length === 0 ? undefined : group}
        tabIndex={props.selected === key ? 0 : -1}
        className="card"
        data-fault={faults > 0 || undefined}
        data-disabled={step.disabled || undefined}
        onFocus={() => props.onSelect(step.path)}
      >
        <b>{title}</b> <small>{detail}</small>
        <span className="visually-hidden">{strings.canvas.place(position, total, faults)}</span>
      </div>
      {step.blocks.length === 0 ? null : (
        <div className="blocks" role="group" id={group}>
          {step.blocks.map((block) => (
            <Block key={pathKey(block.path)} {...props} block={block} level={level + 1} />
          ))}
        </div>
      )}
    </li>
  );
}

function Block({ block, level, ...props }: RouteTreeProps & { readonly block: BlockOutline; readonly level: number }) {
  return (
    <div className="block" role="none">
      {block.label === "" ? null : <div className="block__label">{block.label}</div>}
      <ul role="none">
        <Steps {...props} steps={block.steps} level={level} />
      </ul>
    </div>
  );
}

/** True when the selected step belongs to this route; otherwise its trigger takes the tab stop. */
const isInside = (route: RouteOutline, selected: string): boolean => selected.startsWith(`${pathKey(route.path)}/`);
