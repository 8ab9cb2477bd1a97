import { useEffect, useMemo, useState } from "react";
import { isDocumentCommand, type DocumentCommand, type PageCommand, type PageContext } from "../commands/command.ts";
import { documentCommands } from "../commands/document-commands.ts";
import { pageCommands } from "../commands/page-commands.ts";
import { formatShortcut } from "../commands/shortcut.ts";
import { Dialog } from "../controls/dialog.tsx";
import { SearchList } from "../controls/search-list.tsx";
import { strings } from "../strings.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";

interface Entry {
  readonly key: string;
  readonly title: string;
  readonly kind: string;
  readonly keys: string | undefined;
  run(): void;
}

const maxEntries = 50;

/** Finds flows and commands by parts of their names. */
export function CommandPalette({ page, onClose }: { readonly page: PageContext; readonly onClose: () => void }) {
  const flows = useWorkspace((state) => state.flows);
  const [query, setQuery] = useState("");
  useEffect(() => void useWorkspace.getState().loadFlows(), []);
  const entries = useMemo(() => findEntries(query, page, flows ?? []), [query, page, flows]);
  const run = (entry: Entry): void => {
    onClose();
    entry.run();
  };
  return (
    <Dialog title={strings.palette.title} onClose={onClose}>
      <SearchList
        label={strings.palette.label}
        listLabel={strings.palette.label}
        query={query}
        onQuery={setQuery}
        items={entries}
        keyOf={({ key }) => key}
        onChoose={run}
        emptyText={strings.palette.none}
      >
        {({ title, kind, keys }) => (
          <>
            <span className="grow">{title}</span>
            <span className="search-list__aside">{kind}</span>
            {keys === undefined ? null : <kbd>{keys}</kbd>}
          </>
        )}
      </SearchList>
    </Dialog>
  );
}

function findEntries(query: string, page: PageContext, flows: readonly { readonly id: string; readonly name: string }[]): readonly Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const commands: readonly (DocumentCommand | PageCommand)[] = [...pageCommands, ...(page.editor === undefined ? [] : documentCommands)];
  const entries: Entry[] = [
    ...commands
      .filter((command) => isDocumentCommand(command) || command.isEnabled?.(page) !== false)
      .map((command) => ({
        key: `command-${command.name}`,
        title: command.title,
        kind: strings.palette.commands,
        keys: command.shortcut === undefined ? undefined : formatShortcut(command.shortcut),
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
  return entries.filter(({ title, kind }) => words.every((word) => `${title} ${kind}`.toLowerCase().includes(word))).slice(0, maxEntries);
}
