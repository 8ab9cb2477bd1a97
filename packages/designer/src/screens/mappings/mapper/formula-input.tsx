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
  const [open, setOpen] = useState<{ readonly start: number; readonly items: readonly string[]; readonly active: number } | undefined>(undefined);
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
    setOpen(items.length === 0 ? undefined : { start: caret - typed.length, items, active: 0 });
  };
  const accept = (item: string | undefined): void => {
    const field = input.current;
    if (item === undefined || open === undefined || field === null) return;
    const caret = open.start + item.length;
    write(field.value.slice(0, open.start) + item + field.value.slice(field.selectionStart ?? 0));
    setOpen(undefined);
    requestAnimationFrame(() => field.setSelectionRange(caret, caret));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (open === undefined) return;
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by !== 0) setOpen({ ...open, active: (open.active + by + open.items.length) % open.items.length });
    else if (event.key === "Enter" || event.key === "Tab") accept(open.items[open.active]);
    else if (event.key === "Escape") setOpen(undefined);
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
          setOpen(undefined);
        }}
        onChange={(event) => {
          write(event.target.value);
          suggest(event.target.value, event.target.selectionStart ?? event.target.value.length);
        }}
        onKeyDown={onKeyDown}
      />
      {open === undefined ? null : (
        <ul className="formula__list" role="listbox" aria-label={labels.suggestions}>
          {open.items.map((item, index) => (
            <li
              key={item}
              role="option"
              className="mono"
              aria-selected={index === open.active}
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
