import { ChevronDown, ChevronRight } from "lucide-react";
import { useMemo, useRef, useState, type CSSProperties, type KeyboardEvent } from "react";
import { formatShortcut } from "../commands/shortcut.ts";
import { copyText } from "../controls/copy-text.ts";
import { Menu } from "../controls/menu.tsx";
import { useTree } from "../controls/use-tree.ts";
import { useEditor } from "../editor/editor-context.ts";
import { strings } from "../strings.ts";
import type { PartialMessage } from "../trial/message-text.ts";
import { extractVariable } from "./extract-variable.ts";
import { pathDragType, useInsertTarget } from "./insert-target.ts";
import { dataAt, childPaths, messageData, valueSummary, valueType, type DataPath, type DataRoot, type MessageData } from "./message-data.ts";
import { pathText } from "./path-text.ts";

const text = strings.data;
const roots: readonly DataRoot[] = ["body", "header", "variable", "exchangeProperty"];
const maxRows = 300;
/** Deeper values are initially collapsed. */
const openDepth = 4;

interface Row {
  readonly key: string;
  readonly path: DataPath;
  readonly name: string;
  readonly value: unknown;
  readonly level: number;
  /** Undefined for values without members. */
  readonly isOpen: boolean | undefined;
}

/** A message as a tree: Enter, a double-click or a drag inserts the path of a value into an expression. */
export function DataTree({ message, side }: { readonly message: PartialMessage; readonly side: "before" | "after" }) {
  const editor = useEditor();
  const [menu, setMenu] = useState<{ readonly x: number; readonly y: number; readonly row: Row } | undefined>(undefined);
  const data = useMemo(() => messageData(message), [message]);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [filter, setFilter] = useState("");
  const [current, setCurrent] = useState("body");
  const [note, setNote] = useState("");
  const target = useInsertTarget((state) => state.target);
  const tree = useRef<HTMLDivElement>(null);
  const all = useMemo(() => rowsOf(data, toggled, filter.trim().toLowerCase()), [data, toggled, filter]);
  const rows = all.slice(0, maxRows);
  const tabStop = rows.some(({ key }) => key === current) ? current : rows[0]?.key;
  const toggle = (key: string): void =>
    setToggled((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  const insert = ({ path }: Row): void => {
    if (path.names.length === 0 && path.root !== "body") return;
    if (target === undefined) return setNote(text.insertHint);
    setNote(target.insert(path, data) ? "" : data.format === "csv" && path.root === "body" ? text.parseFirst : text.cannotRead(target.language));
  };
  const copyAndNote = (copied: string, name: string): void =>
    void copyText(copied).then((isCopied) => setNote(isCopied ? text.copied(name) : strings.common.notCopied));
  const copy = ({ path }: Row): void => {
    const expression = pathText(target?.language ?? "simple", path, data) ?? pathText("simple", path, data) ?? "";
    copyAndNote(expression, expression);
  };
  const copyValue = ({ value }: Row): void => copyAndNote(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""), valueSummary(value));
  const extract = ({ path, name }: Row): void =>
    setNote(
      extractVariable(editor, path, data, side) ? text.extracted(name) : data.format === "csv" && path.root === "body" ? text.parseFirst : text.notExtracted,
    );
  const openMenu = (row: Row, x: number, y: number): void => {
    setCurrent(row.key);
    setMenu({ x, y, row });
  };
  const focus = ({ key }: Row): void => tree.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`)?.focus();
  const rowOf = (item: HTMLElement): Row | undefined => rows.find(({ key }) => key === item.dataset["row"]);
  const navigate = useTree({ setOpen: ({ dataset }) => toggle(dataset["row"] ?? ""), titleOf: (item) => rowOf(item)?.name ?? "" });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const row = rowOf(event.target as HTMLElement);
    if (row === undefined) return;
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    if (event.key === "." || event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) {
      const box = (event.target as HTMLElement).getBoundingClientRect();
      openMenu(row, box.left + 24, box.bottom);
    } else if (event.key === "c" && (event.ctrlKey || event.metaKey)) copy(row);
    else if (event.key === "Enter" && !hasModifier) insert(row);
    else {
      navigate(event);
      return;
    }
    event.preventDefault();
  };
  return (
    <>
      <input
        type="search"
        className="input data__filter"
        aria-label={text.filter}
        placeholder={text.filter}
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      <div className="data__tree" role="tree" aria-label={text.tree} ref={tree} onKeyDown={onKeyDown}>
        {rows.map((row) => (
          <div
            key={row.key}
            role="treeitem"
            className="data__row"
            data-row={row.key}
            data-type={row.level === 1 ? "section" : valueType(row.value)}
            aria-level={row.level}
            aria-expanded={row.isOpen}
            aria-selected={row.key === tabStop}
            tabIndex={row.key === tabStop ? 0 : -1}
            draggable={row.level > 1 || row.path.root === "body"}
            style={{ "--level": row.level - 1 } as CSSProperties}
            onFocus={() => setCurrent(row.key)}
            onClick={() => row.isOpen !== undefined && toggle(row.key)}
            onDoubleClick={() => insert(row)}
            onContextMenu={(event) => {
              event.preventDefault();
              openMenu(row, event.clientX, event.clientY);
            }}
            onDragStart={(event) => {
              event.dataTransfer.setData(pathDragType, JSON.stringify(row.path));
              event.dataTransfer.setData("text/plain", pathText("simple", row.path, data) ?? "");
              event.dataTransfer.effectAllowed = "copy";
            }}
          >
            <span className="data__mark" aria-hidden="true">
              {row.isOpen === undefined ? null : row.isOpen ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
            </span>
            <span className="data__name">{row.name}</span>
            <span className="tree-value">{summaryOf(row, data)}</span>
          </div>
        ))}
      </div>
      {menu === undefined ? null : (
        <Menu
          label={text.actions}
          x={menu.x}
          y={menu.y}
          entries={[
            { key: "insert", title: text.insert, keys: formatShortcut("Enter"), run: () => insert(menu.row) },
            { key: "copy-path", title: text.copyPath, keys: formatShortcut("Mod+C"), run: () => copy(menu.row) },
            { key: "copy-value", title: text.copyValue, keys: undefined, run: () => copyValue(menu.row) },
            { key: "extract", title: text.extract, keys: undefined, run: () => extract(menu.row) },
          ]}
          onClose={() => setMenu(undefined)}
          onReturn={() => focus(menu.row)}
        />
      )}
      {all.length > rows.length ? <p className="muted data__note">{text.more(all.length - rows.length)}</p> : null}
      {message.truncated === true ? <p className="muted data__note">{text.truncated}</p> : null}
      <p className="data__hint muted" role="status">
        {note !== "" ? note : target === undefined ? text.insertHint : text.insertInto(target.label, target.language)}
      </p>
    </>
  );
}

function summaryOf({ level, path: { root }, value }: Row, data: MessageData): string {
  if (level > 1) return valueSummary(value);
  if (root === "body") return text.formats[data.format];
  return String(Object.keys(data[root]).length);
}

function rowsOf(data: MessageData, toggled: ReadonlySet<string>, filter: string): readonly Row[] {
  return roots.flatMap((root) => {
    const count = root === "body" ? 1 : Object.keys(data[root]).length;
    if (count === 0) return [];
    return rowsAt(data, { root, names: [] }, text.sections[root], 1, { toggled, filter });
  });
}

interface TreeView {
  readonly toggled: ReadonlySet<string>;
  readonly filter: string;
}

function rowsAt(data: MessageData, path: DataPath, name: string, level: number, view: TreeView): readonly Row[] {
  const value = dataAt(data, path);
  const key = [path.root, ...path.names].join("/");
  const isText = level === 1 && path.root === "body" && (data.format === "text" || typeof value !== "object");
  const inner = isText ? [] : childPaths(path, value);
  const isOpen = inner.length === 0 ? undefined : view.filter !== "" || level <= openDepth !== view.toggled.has(key);
  const children =
    isOpen === true
      ? inner.flatMap((child) =>
          rowsAt(
            data,
            child,
            typeof child.names.at(-1) === "number" ? text.item((value as readonly unknown[]).length) : String(child.names.at(-1)),
            level + 1,
            view,
          ),
        )
      : [];
  const row: Row = { key, path, name, value, level, isOpen };
  if (isText && data.format !== "empty" && value !== undefined) {
    return [row, { key: `${key}/text`, path, name: valueSummary(value), value: undefined, level: 2, isOpen: undefined }];
  }
  const isMatch = view.filter === "" || level === 1 || `${name} ${inner.length === 0 ? valueSummary(value) : ""}`.toLowerCase().includes(view.filter);
  return isMatch || children.length > 0 ? [row, ...children] : [];
}
