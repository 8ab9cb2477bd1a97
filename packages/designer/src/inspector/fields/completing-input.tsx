import { useEffect, useMemo, useRef, useState, type DragEvent, type KeyboardEvent, type RefObject } from "react";
import { flushSync } from "react-dom";
import { clearInsertTarget, pathDragType, setInsertTarget, type InsertTarget } from "../../data-panel/insert-target.ts";
import { messageData, type DataPath, type MessageData } from "../../data-panel/message-data.ts";
import { insertPath } from "../../data-panel/path-text.ts";
import { strings } from "../../strings.ts";
import type { PartialMessage } from "../../trial/message-text.ts";
import { applyCompletion, namesIn, suggestionsAt, withMessageNames, type Completion, type Suggestions } from "../completions.ts";
import { useForm } from "../form-scope.ts";
import { nextGroup, useFormWriter } from "../use-form-writer.ts";
import { TypedInput, type TypedInputProps } from "./typed-input.tsx";

const labels = strings.inspector;

export interface CompletingInputProps extends Omit<TypedInputProps, "element" | "onCaret" | "onKeyDown"> {
  readonly language: string;
  /** The message that the expression will be evaluated on, if known. */
  readonly message: PartialMessage | undefined;
  readonly element?: RefObject<(HTMLInputElement & HTMLTextAreaElement) | null>;
}

/** An input for an expression or text with `${…}`: completes paths, and receives paths from the data panel. */
export function CompletingInput({ language, message, element, ...props }: CompletingInputProps) {
  const scope = useForm();
  const writer = useFormWriter();
  const ownInput = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const input = element ?? ownInput;
  const [suggestions, setSuggestions] = useState<(Suggestions & { readonly active: number }) | undefined>(undefined);
  const headers = useMemo(() => scope.catalog.view.connectors.flatMap((connector) => connector.headers.map(({ name }) => name)), [scope.catalog]);
  const data = useMemo(() => (message === undefined ? undefined : messageData(message)), [message]);
  const { label, write } = props;
  const suggest = (text: string, caret: number): void => {
    const found = suggestionsAt(text, caret, { language, names: withMessageNames(namesIn(scope.tree, headers), message), data });
    setSuggestions(found === undefined ? undefined : { ...found, active: 0 });
  };
  const applyText = (next: { readonly text: string; readonly caret: number }): void => {
    flushSync(() => {
      writer.writeGrouped(nextGroup(), labels.changed(label), write(next.text));
      setSuggestions(undefined);
    });
    input.current?.setSelectionRange(next.caret, next.caret);
  };
  const accept = (item: Completion | undefined, added = ""): void => {
    const field = input.current;
    if (item === undefined || suggestions === undefined || field === null) return;
    const next = applyCompletion(language, field.value, field.selectionStart ?? field.value.length, suggestions.start, item);
    const text = next.text.slice(0, next.caret) + added + next.text.slice(next.caret);
    const caret = next.caret + added.length;
    applyText({ text, caret });
    if (item.text.endsWith(".") || added !== "") suggest(text, caret);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (suggestions === undefined) return;
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const active = suggestions.items[suggestions.active];
    if (by !== 0) setSuggestions({ ...suggestions, active: (suggestions.active + by + suggestions.items.length) % suggestions.items.length });
    else if (event.key === "Enter" || event.key === "Tab") accept(active);
    else if (event.key === "." && active?.isDeep === true && input.current?.selectionStart !== suggestions.start) accept(active, ".");
    else if (event.key === "Escape") setSuggestions(undefined);
    else return;
    event.preventDefault();
  };
  const insert = (path: DataPath, from: MessageData): boolean => {
    const field = input.current;
    if (field === null) return false;
    const { value, selectionStart, selectionEnd } = field;
    const next = insertPath(language, path, from, value, selectionStart ?? value.length, selectionEnd ?? value.length);
    if (next === undefined) return false;
    applyText(next);
    field.focus();
    return true;
  };
  const latest = useRef(insert);
  latest.current = insert;
  const target = useRef<InsertTarget | undefined>(undefined);
  const becomeTarget = (): void => {
    target.current = { label, language, insert: (path, from) => latest.current(path, from) };
    setInsertTarget(target.current);
  };
  useEffect(() => () => clearInsertTarget(target.current), []);
  const onDrop = (event: DragEvent): void => {
    const path = event.dataTransfer.getData(pathDragType);
    if (path === "" || data === undefined) return;
    event.preventDefault();
    insert(JSON.parse(path) as DataPath, data);
    becomeTarget();
  };
  return (
    <div
      className="completing"
      onFocus={becomeTarget}
      onDragOver={(event) => event.dataTransfer.types.includes(pathDragType) && event.preventDefault()}
      onDrop={onDrop}
    >
      <TypedInput {...props} element={input} onCaret={suggest} onKeyDown={onKeyDown} />
      {suggestions === undefined ? null : (
        <ul className="completions" role="listbox" aria-label={labels.completions}>
          {suggestions.items.map((item, index) => (
            <li
              key={item.text}
              role="option"
              aria-selected={index === suggestions.active}
              onMouseDown={(event) => {
                event.preventDefault();
                accept(item);
              }}
            >
              <span className="mono">{item.text}</span> <span className="muted">{item.doc}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
