import { Plus, X } from "lucide-react";
import { useMemo, useRef, useState, type ClipboardEvent, type KeyboardEvent } from "react";
import { Button } from "../../controls/button.tsx";
import { SearchField } from "../../controls/search-field.tsx";
import {
  addColumn,
  addRow,
  parseCells,
  findRows,
  pasteCells,
  removeColumn,
  removeRow,
  setCell,
  setColumn,
  type TableDraft,
} from "../../mappings/table-draft.ts";
import type { Problem } from "../../mappings/table-types.ts";
import { tableStrings as labels } from "../../strings/mappings.ts";

/** Maximum number of inputs on a page; longer tables are paged. */
const maxCells = 600;

export interface TableGridProps {
  readonly draft: TableDraft;
  readonly problems: readonly Problem[];
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly onChange: (draft: TableDraft) => void;
}

/** The editable grid; a copied range can be pasted into any cell. */
export function TableGrid({ draft, problems, search, onSearch, onChange }: TableGridProps) {
  const table = useRef<HTMLTableElement>(null);
  const [page, setPage] = useState(0);
  const rows = useMemo(() => findRows(draft, search), [draft, search]);
  const perPage = Math.max(20, Math.floor(maxCells / Math.max(1, draft.columns.length)));
  const pages = Math.max(1, Math.ceil(rows.length / perPage));
  const currentPage = Math.min(page, pages - 1);
  const visibleRows = rows.slice(currentPage * perPage, (currentPage + 1) * perPage);
  const messageByCell = useMemo(() => new Map(problems.map(({ path, message }) => [path, message])), [problems]);
  const focus = (row: number, column: number): void =>
    void requestAnimationFrame(() => table.current?.querySelector<HTMLInputElement>(`[data-cell="${row} ${column}"]`)?.focus());
  const add = (): void => {
    const next = addRow(draft);
    onChange(next);
    onSearch("");
    setPage(Math.ceil(next.rows.length / perPage) - 1);
    focus(next.rows.length - 1, 0);
  };
  const onKey = (event: KeyboardEvent, row: number, column: number): void => {
    const index = visibleRows.indexOf(row);
    if (event.key === "ArrowUp" && index > 0) focus(visibleRows[index - 1] as number, column);
    else if ((event.key === "ArrowDown" || event.key === "Enter") && index < visibleRows.length - 1) focus(visibleRows[index + 1] as number, column);
    else if (event.key === "Enter" && row === draft.rows.length - 1) add();
    else return;
    event.preventDefault();
  };
  const onPaste = (event: ClipboardEvent, row: number, column: number): void => {
    const cells = parseCells(event.clipboardData.getData("text/plain"));
    if (cells === undefined) return;
    event.preventDefault();
    onChange(pasteCells(draft, row, column, cells));
  };
  return (
    <section className="panel" aria-label={labels.grid}>
      <div className="filters">
        <SearchField label={labels.search} value={search} onChange={onSearch} />
        <span className="muted mapping__count">{labels.found(rows.length, draft.rows.length)}</span>
        <span className="grow" />
        <Button icon={<Plus size={16} aria-hidden="true" />} onClick={() => onChange(addColumn(draft))}>
          {labels.addColumn}
        </Button>
        <Button icon={<Plus size={16} aria-hidden="true" />} onClick={add}>
          {labels.addRow}
        </Button>
      </div>
      <div className="table-scroll grid__scroll">
        <table className="table grid" ref={table}>
          <thead>
            <tr>
              <th scope="col" className="number">
                {labels.row}
              </th>
              {draft.columns.map((column, index) => (
                <th key={index} scope="col">
                  <span className="grid__head">
                    <input
                      className="input grid__cell grid__name"
                      aria-label={labels.column(index + 1)}
                      aria-invalid={messageByCell.has(`columns[${index}]`) || undefined}
                      value={column.id}
                      onChange={(event) => onChange(setColumn(draft, index, { id: event.target.value }))}
                    />
                    <Button
                      variant="quiet"
                      icon={<X size={16} aria-hidden="true" />}
                      aria-label={labels.removeColumn(column.id)}
                      disabled={draft.columns.length <= 2}
                      onClick={() => onChange(removeColumn(draft, index))}
                    />
                  </span>
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {visibleRows.map((row) => (
              <tr key={row}>
                <th scope="row" className="number">
                  {row + 1}
                </th>
                {draft.columns.map((column, index) => (
                  <td key={index}>
                    <input
                      className="input grid__cell"
                      data-cell={`${row} ${index}`}
                      aria-label={labels.cell(column.id, row + 1)}
                      aria-invalid={messageByCell.has(`rows[${row}][${index}]`) || undefined}
                      title={messageByCell.get(`rows[${row}][${index}]`)}
                      value={String(draft.rows[row]?.[index] ?? "")}
                      onChange={(event) => onChange(setCell(draft, row, index, event.target.value))}
                      onKeyDown={(event) => onKey(event, row, index)}
                      onPaste={(event) => onPaste(event, row, index)}
                    />
                  </td>
                ))}
                <td className="number">
                  <Button
                    variant="quiet"
                    icon={<X size={16} aria-hidden="true" />}
                    aria-label={labels.removeRow(row + 1)}
                    onClick={() => onChange(removeRow(draft, row))}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pages === 1 ? null : (
        <div className="mapping__pages">
          <Button disabled={currentPage === 0} onClick={() => setPage(currentPage - 1)}>
            {labels.previous}
          </Button>
          <span className="muted">{labels.page(currentPage * perPage + 1, Math.min(rows.length, (currentPage + 1) * perPage))}</span>
          <Button disabled={currentPage === pages - 1} onClick={() => setPage(currentPage + 1)}>
            {labels.next}
          </Button>
        </div>
      )}
      <p className="field__hint">{labels.pasteHint}</p>
    </section>
  );
}
