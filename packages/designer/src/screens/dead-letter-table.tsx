import { Link } from "wouter";
import type { DeadLetter } from "@sluice/client";
import { Button } from "../controls/button.tsx";
import { Timestamp } from "../controls/timestamp.tsx";
import { DataTable, hiddenHead, numericHead } from "../controls/data-table.tsx";
import { strings } from "../strings.ts";

const text = strings.deadLetters;

export interface DeadLetterTableProps {
  readonly letters: readonly DeadLetter[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
  readonly onOpen: (letter: DeadLetter) => void;
  readonly onReplay: (letter: DeadLetter) => void;
  readonly onRemove: (letter: DeadLetter) => void;
}

export function DeadLetterTable({ letters, selected, onSelect, onOpen, onReplay, onRemove }: DeadLetterTableProps) {
  if (letters.length === 0) return <p className="muted">{strings.common.nothingFound}</p>;
  const { columns } = text;
  const toggle = (id: string): void => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
  const isAll = letters.every(({ id }) => selected.has(id));
  return (
    <DataTable
      label={text.title}
      heads={[
        <input type="checkbox" aria-label={text.selectAll} checked={isAll} onChange={() => onSelect(new Set(isAll ? [] : letters.map(({ id }) => id)))} />,
        columns.when,
        columns.route,
        columns.error,
        numericHead(columns.attempts),
        hiddenHead(text.replay),
      ]}
      stacks
    >
      {letters.map((letter) => (
        <tr key={letter.id}>
          <td>
            <input type="checkbox" aria-label={text.selectOne(letter.id)} checked={selected.has(letter.id)} onChange={() => toggle(letter.id)} />
          </td>
          <td data-label={columns.when}>
            <Timestamp iso={letter.at} />
          </td>
          <td>
            <Link href={`/flows/${letter.flowId}`}>{letter.routeId}</Link>
            <div className="mono muted">{letter.id}</div>
          </td>
          <td className="cell-text">
            {letter.error.message}
            <div>
              <button type="button" className="link" aria-label={`${text.show} ${letter.id}`} onClick={() => onOpen(letter)}>
                {text.show}
              </button>
            </div>
          </td>
          <td className="number" data-label={columns.attempts}>
            {letter.attempts}
          </td>
          <td className="number">
            <Button variant="quiet" aria-label={`${text.replay} ${letter.id}`} onClick={() => onReplay(letter)}>
              {text.replay}
            </Button>
            <Button variant="quiet" aria-label={`${text.remove} ${letter.id}`} onClick={() => onRemove(letter)}>
              {text.remove}
            </Button>
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
