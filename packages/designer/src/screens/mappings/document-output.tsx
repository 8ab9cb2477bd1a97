import type { Preview } from "../../mappings/document-preview.ts";
import { documentStrings as labels } from "../../strings/mappings.ts";
import { DataTable } from "../../controls/data-table.tsx";

/** The output of the document for the sample, and every failing field with its source. */
export function DocumentOutput({ preview }: { readonly preview: Preview | undefined }) {
  const errors = preview?.errors ?? [];
  return (
    <section className="panel" aria-label={labels.output}>
      <h2>{labels.output}</h2>
      {preview?.output === undefined ? (
        <p className="muted">{errors.length > 0 || (preview?.problems.length ?? 0) > 0 ? labels.outputNone : labels.outputEmpty}</p>
      ) : (
        <pre className="message__text mapping__output" tabIndex={0} role="region" aria-label={labels.outputText}>
          {preview.output}
        </pre>
      )}
      {errors.length === 0 || preview?.output === undefined ? null : <p className="muted">{labels.outputPartial}</p>}
      {errors.length === 0 ? null : <ErrorTable errors={errors} />}
      <p className="field__hint">{labels.live}</p>
    </section>
  );
}

function ErrorTable({ errors }: Pick<Preview, "errors">) {
  const { errorColumns: columns } = labels;
  return (
    <DataTable label={labels.errors} headings={[columns.field, columns.source, columns.message]}>
      {errors.map(({ field, source, message }, index) => (
        <tr key={index}>
          <td className="mono">{field}</td>
          <td className="mono">{source}</td>
          <td className="cell-text problem-text">{message}</td>
        </tr>
      ))}
    </DataTable>
  );
}
