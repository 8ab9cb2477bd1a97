import { useRef, useState, type KeyboardEvent, type Ref } from "react";
import type { Edit } from "@sluice/model";
import type { FieldControl } from "../../controls/field.tsx";
import { nextGroup, useFormWriter } from "../use-form-writer.ts";
import { strings } from "../../strings.ts";

export interface TypedInputProps {
  readonly control: FieldControl;
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly placeholder?: string | undefined;
  readonly mono?: boolean;
  readonly lines?: number;
  readonly secret?: boolean;
  readonly list?: string;
  readonly numeric?: boolean;
  readonly element?: Ref<HTMLInputElement & HTMLTextAreaElement>;
  readonly onCaret?: (text: string, caret: number) => void;
  readonly onKeyDown?: (event: KeyboardEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
  write(text: string): (source: string) => Edit;
  /** Called when the field is empty and loses focus; undefined for values that may be empty. */
  remove?(): (source: string) => Edit;
}

/** An input that writes into the flow as the user types. */
export function TypedInput(props: TypedInputProps) {
  const {
    control,
    name,
    label,
    value,
    placeholder,
    mono = false,
    lines = 1,
    secret = false,
    list,
    numeric = false,
    element,
    onCaret,
    onKeyDown,
    write,
    remove,
  } = props;
  const writer = useFormWriter();
  const group = useRef("");
  const [draft, setDraft] = useState<{ readonly text: string; readonly written: string | undefined } | undefined>(undefined);
  // Shows the value of the document, except for text that was just typed and written there.
  const text = draft !== undefined && draft.written === value ? draft.text : (value ?? "");
  // Decided once: replacing the element while the user types would lose focus.
  const [isLong] = useState(lines > 1 || text.includes("\n"));
  const changeLabel = strings.inspector.changed(label);
  const common = {
    ...control,
    "data-field": name,
    className: `input${mono ? " input--mono" : ""}`,
    value: text,
    placeholder,
    autoComplete: "off",
    spellCheck: false,
    onFocus: () => {
      group.current = nextGroup();
    },
    onBlur: () => {
      if (draft?.text === "" && value === "" && remove !== undefined) writer.writeGrouped(group.current, changeLabel, remove());
      setDraft(undefined);
    },
    onChange: (event: { readonly target: HTMLInputElement | HTMLTextAreaElement }) => {
      const { value: text, selectionStart } = event.target;
      if (group.current === "") group.current = nextGroup();
      if (writer.writeGrouped(group.current, changeLabel, write(text))) setDraft({ text, written: text });
      onCaret?.(text, selectionStart ?? text.length);
    },
    onKeyDown,
  };
  return isLong ? (
    <textarea {...common} ref={element} rows={Math.min(12, Math.max(lines, text.split("\n").length))} />
  ) : (
    <input {...common} ref={element} type={secret && !text.startsWith("{{") ? "password" : "text"} list={list} inputMode={numeric ? "decimal" : undefined} />
  );
}
