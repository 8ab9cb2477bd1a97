// Completes message paths in YAML and inserts paths from the data panel. The suggestions are the same as in the forms.
import { Prec, StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, showTooltip, type Tooltip } from "@codemirror/view";
import { clearInsertTarget, pathDragType, setInsertTarget, type InsertTarget } from "../data-panel/insert-target.ts";
import { messageData, type DataPath, type MessageData } from "../data-panel/message-data.ts";
import { insertPath } from "../data-panel/path-text.ts";
import { applyCompletion, suggestionsAt, withMessageNames, type Completion, type KnownNames } from "../inspector/completions.ts";
import { strings } from "../strings.ts";
import type { PartialMessage } from "../trial/message-text.ts";
import { expressionAt, type ExpressionAt } from "./expression-at.ts";

export interface CompletionDetails {
  /** The message at the step under the cursor, if known. */
  message(): PartialMessage | undefined;
  names(): KnownNames;
}

interface OpenList {
  readonly language: string;
  readonly expressionStart: number;
  /** Start of the text that a completion replaces. */
  readonly start: number;
  readonly items: readonly Completion[];
  readonly active: number;
}

const noAttributes: Readonly<Record<string, string>> = {};
const setList = StateEffect.define<OpenList | undefined>();
const listId = "source-completions";
/** Lines above the cursor that are searched for the start of its expression. */
const maxLinesAbove = 60;

export function dataCompletion(details: CompletionDetails): Extension {
  const field = StateField.define<OpenList | undefined>({
    create: () => undefined,
    update(list, transaction) {
      for (const effect of transaction.effects) if (effect.is(setList)) return effect.value;
      if (transaction.docChanged) return transaction.isUserEvent("input") || transaction.isUserEvent("delete") ? listAt(transaction.state, details) : undefined;
      return transaction.selection === undefined ? list : undefined;
    },
    provide: (self) => [
      showTooltip.from(self, (list) => (list === undefined ? null : tooltipOf(list))),
      EditorView.contentAttributes.from(self, (list) =>
        list === undefined ? noAttributes : { "aria-controls": listId, "aria-activedescendant": `${listId}-${list.active}` },
      ),
    ],
  });
  const move = (by: number) => (view: EditorView) => {
    const list = view.state.field(field);
    if (list === undefined) return false;
    view.dispatch({ effects: setList.of({ ...list, active: (list.active + by + list.items.length) % list.items.length }) });
    return true;
  };
  const accept = (view: EditorView): boolean => {
    const list = view.state.field(field);
    return list !== undefined && acceptItem(view, list, list.active);
  };
  const close = (view: EditorView): boolean => {
    if (view.state.field(field) === undefined) return false;
    view.dispatch({ effects: setList.of(undefined) });
    return true;
  };
  return [
    field,
    Prec.highest(
      keymap.of([
        { key: "ArrowDown", run: move(1) },
        { key: "ArrowUp", run: move(-1) },
        { key: "Enter", run: accept },
        { key: "Tab", run: accept },
        { key: "Escape", run: close },
      ]),
    ),
    dataPanelInsertion(details),
  ];
}

function listAt(state: EditorState, details: CompletionDetails): OpenList | undefined {
  const { head, empty } = state.selection.main;
  const found = empty ? expressionHere(state, head) : undefined;
  if (found === undefined) return undefined;
  const line = state.doc.lineAt(head);
  const expressionStart = line.from + found.column;
  const message = details.message();
  const source = {
    language: found.language,
    names: withMessageNames(details.names(), message),
    data: message === undefined ? undefined : messageData(message),
  };
  const suggestions = suggestionsAt(line.text.slice(found.column), head - expressionStart, source);
  return suggestions === undefined
    ? undefined
    : { language: found.language, expressionStart, start: expressionStart + suggestions.start, items: suggestions.items, active: 0 };
}

function expressionHere(state: EditorState, head: number): ExpressionAt | undefined {
  const line = state.doc.lineAt(head);
  const first = Math.max(1, line.number - maxLinesAbove);
  const lines = Array.from({ length: line.number - first }, (_, index) => state.doc.line(first + index).text);
  return expressionAt([...lines, line.text.slice(0, head - line.from)]);
}

function acceptItem(view: EditorView, { language, expressionStart, start, items }: OpenList, index: number): boolean {
  const item = items[index];
  if (item === undefined) return false;
  const { head } = view.state.selection.main;
  const line = view.state.doc.lineAt(head);
  const next = applyCompletion(language, view.state.sliceDoc(expressionStart, line.to), head - expressionStart, start - expressionStart, item);
  replaceRange(view, expressionStart, line.to, next);
  return true;
}

/** Changes only the characters that differ, as one undo step. */
function replaceRange(view: EditorView, from: number, to: number, { text, caret }: { readonly text: string; readonly caret: number }): void {
  const before = view.state.sliceDoc(from, to);
  let prefix = 0;
  while (prefix < before.length && before[prefix] === text[prefix]) prefix++;
  let suffix = 0;
  while (suffix < before.length - prefix && suffix < text.length - prefix && before[before.length - 1 - suffix] === text[text.length - 1 - suffix]) suffix++;
  view.dispatch({
    changes: { from: from + prefix, to: to - suffix, insert: text.slice(prefix, text.length - suffix) },
    selection: { anchor: from + caret },
    userEvent: "input.complete",
  });
}

function tooltipOf(list: OpenList): Tooltip {
  return { pos: list.start, above: false, create: (view) => ({ dom: listElement(view, list) }) };
}

function listElement(view: EditorView, list: OpenList): HTMLElement {
  const element = document.createElement("ul");
  element.className = "source__completions";
  element.id = listId;
  element.setAttribute("role", "listbox");
  element.setAttribute("aria-label", strings.inspector.completions);
  list.items.forEach(({ text, doc }, index) => {
    const option = document.createElement("li");
    option.id = `${listId}-${index}`;
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", String(index === list.active));
    const name = document.createElement("span");
    name.className = "mono";
    name.textContent = text;
    const description = document.createElement("span");
    description.className = "muted";
    description.textContent = ` ${doc}`;
    option.append(name, description);
    option.addEventListener("mousedown", (event) => {
      event.preventDefault();
      acceptItem(view, list, index);
    });
    element.append(option);
  });
  return element;
}

/** Inserts paths from the data panel, written in the expression language at the cursor. */
function dataPanelInsertion(details: CompletionDetails): Extension {
  let target: InsertTarget | undefined;
  const insertAt = (view: EditorView, path: DataPath, data: MessageData): boolean => {
    const { from, to } = view.state.selection.main;
    const { language, column } = expressionHere(view.state, from) ?? { language: "simple", column: 0 };
    const line = view.state.doc.lineAt(from);
    const start = Math.min(from, line.from + column);
    const next = insertPath(language, path, data, view.state.sliceDoc(start, Math.max(to, line.to)), from - start, to - start);
    if (next === undefined) return false;
    replaceRange(view, start, Math.max(to, line.to), next);
    view.focus();
    return true;
  };
  return EditorView.domEventHandlers({
    focus(_event, view) {
      target = {
        label: strings.editor.source,
        get language() {
          return expressionHere(view.state, view.state.selection.main.head)?.language ?? "simple";
        },
        insert: (path, data) => view.dom.isConnected && insertAt(view, path, data),
      };
      setInsertTarget(target);
    },
    dragover(event) {
      if (event.dataTransfer?.types.includes(pathDragType) === true) event.preventDefault();
    },
    drop(event, view) {
      const path = event.dataTransfer?.getData(pathDragType) ?? "";
      const message = details.message();
      if (path === "" || message === undefined) return false;
      event.preventDefault();
      const position = view.posAtCoords({ x: event.clientX, y: event.clientY });
      if (position !== null) view.dispatch({ selection: { anchor: position } });
      insertAt(view, JSON.parse(path) as DataPath, messageData(message));
      return true;
    },
    // This editor remains the insert target until it is removed, even without the focus.
    blur() {
      setTimeout(() => target !== undefined && document.querySelector(".source") === null && clearInsertTarget(target));
    },
  });
}
