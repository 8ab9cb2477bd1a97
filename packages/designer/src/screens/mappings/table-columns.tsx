import { cellOf, setColumn, type DraftColumn, type TableDraft } from "../../mappings/table-draft.ts";
import { matchModes, type MatchMode } from "../../mappings/table-types.ts";
import { tableStrings as labels } from "../../strings/mappings.ts";

/** Properties of the columns. */
export function TableColumns({ draft, onChange }: { readonly draft: TableDraft; readonly onChange: (draft: TableDraft) => void }) {
  const { detailColumns: columns } = labels;
  const set = (index: number, change: Partial<DraftColumn>): void => onChange(setColumn(draft, index, change));
  return (
    <details className="panel">
      <summary>{labels.columnDetails}</summary>
      <div className="table-scroll" role="region" aria-label={labels.columnDetails} tabIndex={0}>
        <table className="table grid">
          <thead>
            <tr>
              {Object.entries(columns).map(([name, title]) => (
                <th key={name} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {draft.columns.map((column, index) => (
              <tr key={index}>
                <th scope="row">{column.id}</th>
                <td>
                  <input
                    className="input grid__cell"
                    aria-label={labels.agency(column.id)}
                    value={column.agency}
                    onChange={(event) => set(index, { agency: event.target.value })}
                  />
                </td>
                <td>
                  <input
                    className="input grid__cell"
                    aria-label={labels.identifier(column.id)}
                    value={column.identifier}
                    onChange={(event) => set(index, { identifier: event.target.value })}
                  />
                </td>
                <td>
                  <input
                    className="input grid__cell"
                    aria-label={labels.fallback(column.id)}
                    placeholder={labels.noFallback}
                    value={String(column.default ?? "")}
                    onChange={(event) => set(index, { default: cellOf(event.target.value, column.default) ?? undefined })}
                  />
                </td>
                <td>
                  <select
                    className="input grid__cell"
                    aria-label={labels.columnMatch(column.id)}
                    value={column.match ?? ""}
                    onChange={(event) => set(index, { match: event.target.value === "" ? undefined : (event.target.value as MatchMode) })}
                  >
                    <option value="">{labels.tableDefault}</option>
                    {matchModes.map((mode) => (
                      <option key={mode} value={mode}>
                        {labels.matches[mode]}
                      </option>
                    ))}
                  </select>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
