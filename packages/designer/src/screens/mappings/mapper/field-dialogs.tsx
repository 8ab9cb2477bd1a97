import { useEffect, useRef, useState } from "react";
import { formatNames } from "../../../mappings/document-format.ts";
import { Button } from "../../../controls/button.tsx";
import { Dialog } from "../../../controls/dialog.tsx";
import { Field } from "../../../controls/field.tsx";
import { SearchList } from "../../../controls/search-list.tsx";
import { TextAreaField } from "../../../controls/text-area-field.tsx";
import { mappingFunctions, type MappingFunction } from "../../../mappings/function-list.ts";
import type { Lookup } from "../../../mappings/rule-edits.ts";
import { lookupTables, type LookupTable } from "../../../mappings/saved-mapping.ts";
import { strings } from "../../../strings.ts";
import { mapperStrings as labels } from "../../../strings/mapper.ts";

interface FunctionDialogProps {
  readonly onChoose: (selected: MappingFunction) => void;
  readonly onClose: () => void;
}

export function FunctionDialog({ onChoose, onClose }: FunctionDialogProps) {
  const [query, setQuery] = useState("");
  const searchText = query.trim().toLowerCase();
  return (
    <Dialog title={labels.functionTitle} onClose={onClose}>
      <SearchList
        label={labels.functionSearch}
        listLabel={labels.functionTitle}
        query={query}
        onQuery={setQuery}
        items={mappingFunctions.filter(({ name, group }) => `${name} ${group}`.toLowerCase().includes(searchText))}
        keyOf={({ name }) => name}
        headingOf={({ group }) => group}
        onChoose={onChoose}
        emptyText={labels.functionNone}
      >
        {({ name, example }) => (
          <>
            <span className="grow">{name}</span>
            <span className="search-list__aside mono">{example}</span>
          </>
        )}
      </SearchList>
    </Dialog>
  );
}

interface LookupDialogProps {
  readonly target: string | undefined;
  readonly initial: Partial<Lookup>;
  readonly onChoose: (lookup: Lookup) => void;
  readonly onClose: () => void;
}

/** Lets the user choose the table and the two columns of a lookup. */
export function LookupDialog({ target, initial, onChoose, onClose }: LookupDialogProps) {
  const [tables, setTables] = useState<readonly LookupTable[] | undefined>(undefined);
  const [lookup, setLookup] = useState<Lookup>({ table: "", from: "", to: "", onMissing: "", ...initial });
  useEffect(() => {
    void lookupTables(target).then(setTables, () => setTables([]));
  }, [target]);
  const table = tables?.find(({ id }) => id === lookup.table) ?? tables?.[0];
  const columns = table?.columns ?? [];
  const selected: Lookup = {
    ...lookup,
    table: table?.id ?? "",
    from: columns.includes(lookup.from) ? lookup.from : (columns[0] ?? ""),
    to: columns.includes(lookup.to) ? lookup.to : (columns[1] ?? columns[0] ?? ""),
  };
  return (
    <Dialog
      title={labels.lookupTitle}
      onClose={onClose}
      onSubmit={() => table !== undefined && onChoose(selected)}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={table === undefined}>
            {labels.useTable}
          </Button>
        </>
      }
    >
      {tables === undefined ? <p className="muted">{strings.common.loading}</p> : null}
      {tables?.length === 0 ? <p className="muted">{labels.noTables}</p> : null}
      {table === undefined ? null : (
        <>
          <Choice
            autoFocus
            label={labels.table}
            value={selected.table}
            choices={(tables ?? []).map(({ id }) => [id, id])}
            onChange={(value) => setLookup({ ...selected, table: value })}
          />
          <Choice
            label={labels.fromColumn}
            value={selected.from}
            choices={columns.map((column) => [column, column])}
            onChange={(value) => setLookup({ ...selected, from: value })}
          />
          <Choice
            label={labels.toColumn}
            value={selected.to}
            choices={columns.map((column) => [column, column])}
            onChange={(value) => setLookup({ ...selected, to: value })}
          />
          <Choice
            label={labels.onMissing}
            value={selected.onMissing}
            choices={Object.entries(labels.missing)}
            onChange={(value) => setLookup({ ...selected, onMissing: value })}
          />
        </>
      )}
    </Dialog>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  /** For a choice that appears after the dialog was opened. */
  readonly autoFocus?: boolean;
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, choices, autoFocus, onChange }: ChoiceProps) {
  return (
    <Field label={label}>
      {(control) => (
        <select {...control} className="input" autoFocus={autoFocus} value={value} onChange={(event) => onChange(event.target.value)}>
          {choices.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface NameDialogProps {
  readonly title: string;
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly onClose: () => void;
}

export function NameDialog({ title, name, onName, onClose }: NameDialogProps) {
  const [text, setText] = useState(name);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => text.trim() !== "" && onName(text.trim())}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={text.trim() === ""}>
            {labels.apply}
          </Button>
        </>
      }
    >
      <Field label={labels.fieldName} hint={labels.fieldNameHint}>
        {(control) => <input {...control} className="input" autoFocus value={text} onChange={(event) => setText(event.target.value)} />}
      </Field>
    </Dialog>
  );
}

interface SideDialogProps {
  readonly side: "source" | "target";
  readonly format: string;
  readonly root: string;
  readonly text: string;
  readonly onApply: (side: { readonly format: string; readonly root: string; readonly text: string }) => void;
  readonly onClose: () => void;
}

/** Format and example of the source or the target. */
export function SideDialog({ side, onApply, onClose, ...initial }: SideDialogProps) {
  const [format, setFormat] = useState(initial.format);
  const [root, setRoot] = useState(initial.root);
  const [text, setText] = useState(initial.text);
  const file = useRef<HTMLInputElement>(null);
  const isSource = side === "source";
  return (
    <Dialog
      wide
      title={isSource ? labels.sourceTitle : labels.targetTitle}
      onClose={onClose}
      onSubmit={() => onApply({ format, root, text })}
      actions={
        <>
          <Button onClick={() => file.current?.click()}>{labels.openFile}</Button>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" variant="primary">
            {labels.apply}
          </Button>
        </>
      }
    >
      <Choice label={labels.format} value={format} choices={formatNames.map((name) => [name, name.toUpperCase()])} onChange={setFormat} />
      {format === "xml" ? (
        <Field label={labels.root}>
          {(control) => <input {...control} className="input" value={root} onChange={(event) => setRoot(event.target.value)} />}
        </Field>
      ) : null}
      <TextAreaField
        label={isSource ? labels.sampleText : labels.targetSample}
        hint={isSource ? labels.sampleTextHint : labels.targetSampleHint}
        rows={14}
        value={text}
        onChange={setText}
      />
      <input
        ref={file}
        type="file"
        hidden
        aria-label={labels.openFile}
        onChange={(event) => {
          const [selectedFile] = event.target.files ?? [];
          if (selectedFile !== undefined) void selectedFile.text().then(setText);
          event.target.value = "";
        }}
      />
    </Dialog>
  );
}
