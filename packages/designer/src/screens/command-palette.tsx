import { useEffect, useId, useMemo, useState } from "react";
import { isDocumentCommand, type DocumentCommand, type PageCommand, type PageContext } from "../commands/command.ts";
import { documentCommands } from "../commands/document-commands.ts";
import { pageCommands } from "../commands/page-commands.ts";
import { shownShortcut } from "../commands/shortcut.ts";
import { Dialog } from "../controls/dialog.tsx";
import { strings } from "../strings.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";

interface Entry {
  readonly key: string;
  readonly title: string;
  readonly kind: string;
  readonly keys: string | undefined;
  run(): void;
}

const most = 50;

/** Finds flows and commands by any part of their names. */
export function CommandPalette({ page, onClose }: { readonly page: PageContext; readonly onClose: () => void }) {
  const flows = useWorkspace((state) => state.flows);
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const list = useId();
  useEffect(() => void useWorkspace.getState().loadFlows(), []);
  const entries = useMemo(() => found(query, page, flows ?? []), [query, page, flows]);
  const chosen = Math.min(active, entries.length - 1);
  const run = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  return (
    <Dialog title={strings.palette.title} onClose={onClose}>
      <div className="palette">
        <input
          className="input"
          role="combobox"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={entries.length === 0 ? undefined : `${list}-${chosen}`}
          aria-label={strings.palette.label}
          placeholder={strings.palette.label}
          autoComplete="off"
          autoFocus
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setActive(0);
          }}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown" || event.key === "ArrowUp") {
              event.preventDefault();
              setActive((chosen + (event.key === "ArrowDown" ? 1 : -1) + entries.length) % Math.max(1, entries.length));
            } else if (event.key === "Enter") {
              event.preventDefault();
              run(entries[chosen]);
            }
          }}
        />
        <ul className="palette__list" role="listbox" id={list} aria-label={strings.palette.label}>
          {entries.map((entry, index) => (
            <li
              key={entry.key}
              id={`${list}-${index}`}
              role="option"
              aria-selected={index === chosen}
              className="palette__item"
              onClick={() => run(entry)}
              onMouseMove={() => setActive(index)}
            >
              <span className="grow">{entry.title}</span>
              <span className="palette__kind">{entry.kind}</span>
              {entry.keys === undefined ? null : <kbd>{entry.keys}</kbd>}
            </li>
          ))}
        </ul>
        {entries.length === 0 ? <p className="muted">{strings.palette.none}</p> : null}
      </div>
    </Dialog>
  );
}

function found(query: string, page: PageContext, flows: readonly { readonly id: string; readonly name: string }[]): readonly Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const commands: readonly (DocumentCommand | PageCommand)[] = [...pageCommands, ...(page.editor === undefined ? [] : documentCommands)];
  const entries: Entry[] = [
    ...commands
      .filter((command) => isDocumentCommand(command) || command.isEnabled?.(page) !== false)
      .map((command) => ({
        key: `command-${command.name}`,
        title: command.title,
        kind: strings.palette.commands,
        keys: command.shortcut === undefined ? undefined : shownShortcut(command.shortcut),
        run: () => (isDocumentCommand(command) ? page.editor?.run(command) : command.run(page)),
      })),
    ...flows.map(({ id, name }) => ({
      key: `flow-${id}`,
      title: name,
      kind: strings.palette.flows,
      keys: undefined,
      run: () => page.navigate(`/flows/${id}`),
    })),
  ];
  return entries.filter(({ title, kind }) => words.every((word) => `${title} ${kind}`.toLowerCase().includes(word))).slice(0, most);
}
