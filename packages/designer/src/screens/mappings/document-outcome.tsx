import type { Preview } from "../../mappings/document-preview.ts";
import { fieldList } from "../../mappings/field-list.ts";
import { documentStrings as words } from "../../strings/mappings.ts";

export interface OutcomeProps {
  readonly preview: Preview | undefined;
  readonly document: Readonly<Record<string, unknown>> | undefined;
}

/** The output of the document for the sample, or every failing field with its source. */
export function DocumentOutcome({ preview, document }: OutcomeProps) {
  const errors = preview?.errors ?? [];
  return (
    <section className="panel" aria-label={words.output}>
      <h2>{words.output}</h2>
      {preview?.output === undefined ? (
        <p className="muted">{errors.length > 0 || (preview?.problems.length ?? 0) > 0 ? words.outputNone : words.outputEmpty}</p>
      ) : (
        <pre className="message__text mapping__output" tabIndex={0} role="region" aria-label={words.outputText}>
          {preview.output}
        </pre>
      )}
      {errors.length === 0 ? null : <ErrorTable errors={errors} />}
      <p className="field__hint">{words.live}</p>
      {document === undefined ? null : <FieldTable document={document} output={preview?.output} />}
    </section>
  );
}

function ErrorTable({ errors }: Pick<Preview, "errors">) {
  const { errorColumns: heads } = words;
  return (
    <div className="table-scroll" role="region" aria-label={words.errors} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{heads.field}</th>
            <th scope="col">{heads.source}</th>
            <th scope="col">{heads.message}</th>
          </tr>
        </thead>
        <tbody>
          {errors.map(({ field, source, message }, index) => (
            <tr key={index}>
              <td className="mono">{field}</td>
              <td className="mono">{source}</td>
              <td className="cell-text problem-text">{message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function FieldTable({ document, output }: { readonly document: Readonly<Record<string, unknown>>; readonly output: string | undefined }) {
  const { fieldColumns: heads } = words;
  return (
    <details>
      <summary>{words.fieldsTitle}</summary>
      <div className="table-scroll mapping__fields" role="region" aria-label={words.fieldsTitle} tabIndex={0}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{heads.target}</th>
              <th scope="col">{heads.source}</th>
              <th scope="col">{heads.result}</th>
            </tr>
          </thead>
          <tbody>
            {fieldList(document, output).map(({ target, depth, source, result }, index) => (
              <tr key={index}>
                <td className="mono" style={{ paddingInlineStart: `${12 + depth * 16}px` }}>
                  {target}
                </td>
                <td className="mono">{source}</td>
                <td className="mono cell-text">{result}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
