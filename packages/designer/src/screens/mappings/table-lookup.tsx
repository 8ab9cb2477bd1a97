import { useState } from "react";
import { Field } from "../../controls/field.tsx";
import { lookUp } from "../../mappings/table-check.ts";
import type { TableDraft } from "../../mappings/table-draft.ts";
import type { ValueTable } from "../../mappings/table-types.ts";
import { tableStrings as labels } from "../../strings/mappings.ts";

/** Looks up values in the current table, saved or not. */
export function TableLookup({ draft, table }: { readonly draft: TableDraft; readonly table: ValueTable | undefined }) {
  const ids = draft.columns.map(({ id }) => id);
  const [selection, setSelection] = useState<{ readonly from: string; readonly to: string }>({ from: ids[0] ?? "", to: ids[1] ?? "" });
  const [key, setKey] = useState("");
  const from = ids.includes(selection.from) ? selection.from : (ids[0] ?? "");
  const to = ids.includes(selection.to) ? selection.to : (ids[1] ?? "");
  const columnChoice = (label: string, value: string, onChoose: (id: string) => void) => (
    <Field label={label}>
      {(control) => (
        <select {...control} className="input" value={value} onChange={(event) => onChoose(event.target.value)}>
          {ids.map((id, index) => (
            <option key={index}>{id}</option>
          ))}
        </select>
      )}
    </Field>
  );
  return (
    <section className="panel" aria-label={labels.lookup}>
      <h2>{labels.lookup}</h2>
      <div className="mapping__lookup">
        {columnChoice(labels.from, from, (id) => setSelection({ from: id, to }))}
        {columnChoice(labels.to, to, (id) => setSelection({ from, to: id }))}
        <Field label={labels.key}>
          {(control) => <input {...control} className="input input--mono" value={key} onChange={(event) => setKey(event.target.value)} />}
        </Field>
      </div>
      <Result table={table} from={from} to={to} value={key} />
    </section>
  );
}

function Result({ table, from, to, value }: { readonly table: ValueTable | undefined; readonly from: string; readonly to: string; readonly value: string }) {
  if (table === undefined) return <p className="muted">{labels.lookupFirst}</p>;
  const result = value === "" || !table.hasColumn(from) || !table.hasColumn(to) ? undefined : lookUp(table, from, to, value);
  return (
    <p role="status" aria-label={labels.result} className="mapping__result">
      {result === undefined ? null : "error" in result ? (
        <span className="problem-text">{result.error}</span>
      ) : (
        <code>{result.value === null ? labels.resultNull : String(result.value)}</code>
      )}
    </p>
  );
}
