import { Link } from "wouter";
import type { DeadLetter } from "@sluice/client";
import { Button } from "../controls/button.tsx";
import { Timestamp } from "../controls/timestamp.tsx";
import { DataTable, hiddenHeading, numericHeading } from "../controls/data-table.tsx";
import { strings } from "../strings.ts";

const text = strings.deadLetters;

export interface DeadLetterTableProps {
  readonly deadLetters: readonly DeadLetter[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
  readonly onOpen: (deadLetter: DeadLetter) => void;
  readonly onReplay: (deadLetter: DeadLetter) => void;
  readonly onRemove: (deadLetter: DeadLetter) => void;
}

export function DeadLetterTable({ deadLetters, selected, onSelect, onOpen, onReplay, onRemove }: DeadLetterTableProps) {
  if (deadLetters.length === 0) return <p className="muted">{strings.common.nothingFound}</p>;
  const { columns } = text;
  const toggle = (id: string): void => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
  const allSelected = deadLetters.every(({ id }) => selected.has(id));
  return (
    <DataTable
      label={text.title}
      headings={[
        <input
          type="checkbox"
          aria-label={text.selectAll}
          checked={allSelected}
          onChange={() => onSelect(new Set(allSelected ? [] : deadLetters.map(({ id }) => id)))}
        />,
        columns.when,
        columns.route,
        columns.error,
        numericHeading(columns.attempts),
        hiddenHeading(text.replay),
      ]}
      stacks
    >
      {deadLetters.map((deadLetter) => (
        <tr key={deadLetter.id}>
          <td>
            <input type="checkbox" aria-label={text.selectOne(deadLetter.id)} checked={selected.has(deadLetter.id)} onChange={() => toggle(deadLetter.id)} />
          </td>
          <td data-label={columns.when}>
            <Timestamp iso={deadLetter.at} />
          </td>
          <td>
            <Link href={`/flows/${deadLetter.flowId}`}>{deadLetter.routeId}</Link>
            <div className="mono muted">{deadLetter.id}</div>
          </td>
          <td className="cell-text">
            {deadLetter.error.message}
            <div>
              <button type="button" className="link" aria-label={`${text.show} ${deadLetter.id}`} onClick={() => onOpen(deadLetter)}>
                {text.show}
              </button>
            </div>
          </td>
          <td className="number" data-label={columns.attempts}>
            {deadLetter.attempts}
          </td>
          <td className="number">
            <Button variant="quiet" aria-label={`${text.replay} ${deadLetter.id}`} onClick={() => onReplay(deadLetter)}>
              {text.replay}
            </Button>
            <Button variant="quiet" aria-label={`${text.remove} ${deadLetter.id}`} onClick={() => onRemove(deadLetter)}>
              {text.remove}
            </Button>
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
