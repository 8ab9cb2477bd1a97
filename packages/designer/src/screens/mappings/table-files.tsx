import { useRef, useState } from "react";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog.tsx";
import { fileOfTable, tableOfFile, type TableFileFormat } from "../../mappings/table-file.ts";
import { mergeRows, type TableDraft } from "../../mappings/table-draft.ts";
import { strings } from "../../strings.ts";
import { tableStrings as labels } from "../../strings/mappings.ts";

const formats: readonly TableFileFormat[] = ["csv", "xml", "json"];

export interface TableFilesProps {
  readonly id: string;
  readonly draft: TableDraft;
  readonly onChange: (draft: TableDraft) => void;
}

/** Imports and exports the table as CSV, XML (SAP) and JSON files. */
export function TableFiles({ id, draft, onChange }: TableFilesProps) {
  const input = useRef<HTMLInputElement>(null);
  const [imported, setImported] = useState<{ readonly name: string; readonly table: TableDraft } | undefined>(undefined);
  const [error, setError] = useState<string | undefined>(undefined);
  const read = async (file: File): Promise<void> => {
    try {
      setImported({ name: file.name, table: tableOfFile(await file.text()) });
      setError(undefined);
    } catch (reason) {
      setError(labels.importFailed(file.name, (reason as Error).message));
    }
  };
  const write = (format: TableFileFormat): void => {
    try {
      const { text, type } = fileOfTable(draft, format);
      download(`${id}.${format}`, text, type);
      setError(undefined);
    } catch (reason) {
      setError((reason as Error).message);
    }
  };
  const finishImport = (next: TableDraft): void => {
    onChange(next);
    setImported(undefined);
  };
  return (
    <section className="panel" aria-label={labels.files}>
      <h2>{labels.files}</h2>
      <div className="mapping__buttons">
        <Button onClick={() => input.current?.click()}>{labels.importFile}</Button>
        {formats.map((format) => (
          <Button key={format} onClick={() => write(format)}>
            {labels.exportAs[format]}
          </Button>
        ))}
      </div>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={labels.importFile}
        accept=".csv,.tsv,.txt,.xml,.json,.yaml"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file !== undefined) void read(file);
          event.target.value = "";
        }}
      />
      <p className="field__hint">{labels.importHint}</p>
      {error === undefined ? null : (
        <p className="field__error" role="alert">
          {error}
        </p>
      )}
      {imported === undefined ? null : (
        <ImportDialog
          name={imported.name}
          draft={draft}
          table={imported.table}
          onClose={() => setImported(undefined)}
          onReplace={() => finishImport({ ...imported.table, name: imported.table.name === "" ? draft.name : imported.table.name })}
          onAppend={() => finishImport(mergeRows(draft, imported.table))}
        />
      )}
    </section>
  );
}

interface ImportProps {
  readonly name: string;
  readonly draft: TableDraft;
  readonly table: TableDraft;
  readonly onClose: () => void;
  readonly onReplace: () => void;
  readonly onAppend: () => void;
}

function ImportDialog({ name, draft, table, onClose, onReplace, onAppend }: ImportProps) {
  const existing = new Set(draft.columns.map(({ id }) => id.toLowerCase()));
  const added = table.columns.filter(({ id }) => !existing.has(id.toLowerCase())).map(({ id }) => id);
  return (
    <Dialog
      title={labels.importTitle(name)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button onClick={onReplace}>{labels.replace}</Button>
          <Button variant="primary" onClick={onAppend}>
            {labels.append}
          </Button>
        </>
      }
    >
      <p>{labels.importFound(table.rows.length, table.columns.map(({ id }) => id).join(", "))}</p>
      <p className="muted">{added.length === 0 ? labels.importMatched : labels.importNewColumns(added.join(", "))}</p>
    </Dialog>
  );
}

function download(name: string, text: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
