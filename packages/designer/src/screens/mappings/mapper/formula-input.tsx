import { useRef, useState, type KeyboardEvent } from "react";
import { mapperStrings as labels } from "../../../strings/mapper.ts";

export interface FormulaInputProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly isInvalid?: boolean;
  /** Paths and functions that can be inserted. */
  readonly names: readonly string[];
  readonly onChange: (text: string, group: string) => void;
}

const maxItems = 8;
let groupCount = 0;

/** A formula with completion of the name at the caret. All typing until the focus moves is one undo step. */
export function FormulaInput({ label, value, placeholder, isInvalid = false, names, onChange }: FormulaInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const group = useRef("");
  const [draft, setDraft] = useState<{ readonly text: string; readonly written: string } | undefined>(undefined);
  const [suggestions, setSuggestions] = useState<{ readonly start: number; readonly items: readonly string[]; readonly active: number } | undefined>(undefined);
  // The stored formula may differ from the typed text, e.g. in spaces: the typed text stays until the value changes elsewhere.
  const displayed = draft !== undefined && draft.written === value ? draft.text : value;
  const write = (text: string): void => {
    if (group.current === "") group.current = `formula-${++groupCount}`;
    onChange(text, group.current);
    setDraft({ text, written: text.trim() });
  };
  const suggest = (text: string, caret: number): void => {
    const typed = /[\w$@.[\]*']*$/.exec(text.slice(0, caret))?.[0] ?? "";
    const items = typed === "" ? [] : names.filter((name) => name.toLowerCase().includes(typed.toLowerCase()) && name !== typed).slice(0, maxItems);
    setSuggestions(items.length === 0 ? undefined : { start: caret - typed.length, items, active: 0 });
  };
  const accept = (item: string | undefined): void => {
    const field = input.current;
    if (item === undefined || suggestions === undefined || field === null) return;
    const caret = suggestions.start + item.length;
    write(field.value.slice(0, suggestions.start) + item + field.value.slice(field.selectionStart ?? 0));
    setSuggestions(undefined);
    requestAnimationFrame(() => field.setSelectionRange(caret, caret));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (suggestions === undefined) return;
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by !== 0) setSuggestions({ ...suggestions, active: (suggestions.active + by + suggestions.items.length) % suggestions.items.length });
    else if (event.key === "Enter" || event.key === "Tab") accept(suggestions.items[suggestions.active]);
    else if (event.key === "Escape") setSuggestions(undefined);
    else return;
    event.preventDefault();
  };
  return (
    <div className="formula">
      <input
        ref={input}
        className="input input--mono"
        aria-label={label}
        aria-invalid={isInvalid || undefined}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        value={displayed}
        onFocus={() => {
          group.current = "";
        }}
        onBlur={() => {
          setDraft(undefined);
          setSuggestions(undefined);
        }}
        onChange={(event) => {
          write(event.target.value);
          suggest(event.target.value, event.target.selectionStart ?? event.target.value.length);
        }}
        onKeyDown={onKeyDown}
      />
      {suggestions === undefined ? null : (
        <ul className="formula__list" role="listbox" aria-label={labels.suggestions}>
          {suggestions.items.map((item, index) => (
            <li
              key={item}
              role="option"
              className="mono"
              aria-selected={index === suggestions.active}
              onMouseDown={(event) => {
                event.preventDefault();
                accept(item);
              }}
            >
              {item}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
