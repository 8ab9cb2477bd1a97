import type { MatchMode, OnMissing } from "../../mappings/table-types.ts";
import { matchModes, missingRules } from "../../mappings/table-types.ts";
import { Field } from "../../controls/field.tsx";
import type { TableDraft } from "../../mappings/table-draft.ts";
import { mappingStrings, tableStrings as labels } from "../../strings/mappings.ts";

/** Settings of the whole table. */
export function TableSettings({ draft, onChange }: { readonly draft: TableDraft; readonly onChange: (draft: TableDraft) => void }) {
  return (
    <section className="panel mapping__settings" aria-label={labels.settings}>
      <Field label={mappingStrings.name}>
        {(control) => (
          <input {...control} className="input" maxLength={120} value={draft.name} onChange={(event) => onChange({ ...draft, name: event.target.value })} />
        )}
      </Field>
      <Field label={labels.onMissing}>
        {(control) => (
          <select
            {...control}
            className="input"
            value={draft.onMissing}
            onChange={(event) => onChange({ ...draft, onMissing: event.target.value as OnMissing })}
          >
            {missingRules.map((rule) => (
              <option key={rule} value={rule}>
                {labels.missing[rule]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={labels.match}>
        {(control) => (
          <select {...control} className="input" value={draft.match} onChange={(event) => onChange({ ...draft, match: event.target.value as MatchMode })}>
            {matchModes.map((mode) => (
              <option key={mode} value={mode}>
                {labels.matches[mode]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </section>
  );
}
