import { List } from "lucide-react";
import { useEffect, useState } from "react";
import type { NameKind, OptionView } from "@sluice/model";
import { createLinkedRoute } from "../../commands/linked-route.ts";
import { runCommand } from "../../commands/run-command.ts";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog.tsx";
import { SearchList } from "../../controls/search-list.tsx";
import { useEditor } from "../../editor/editor-context.ts";
import { strings } from "../../strings.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { useEndpoint } from "../endpoint-context.ts";
import { useForm } from "../form-scope.ts";
import { knownNames, type KnownName } from "../known-names.ts";
import { optionLabel } from "./option-label.ts";

const text = strings.names;

interface NamesButtonProps {
  readonly option: OptionView | undefined;
  /** The label of the field, if it is not that of the option. */
  readonly label?: string;
  readonly onChoose: (name: string) => void;
  /** What the user can create instead of a name from the list. */
  readonly custom?: { readonly title: string; readonly create: () => void } | undefined;
}

/** Opens a list of the names that an option can have; nothing for options without such names. */
export function NamesButton({ option, label, onChoose, custom }: NamesButtonProps) {
  const [isOpen, setOpen] = useState(false);
  if (option?.names === undefined) return null;
  const title = text.choose(label ?? optionLabel(option));
  return (
    <>
      <button type="button" className="icon-button" aria-label={title} title={title} onClick={() => setOpen(true)}>
        <List size={14} aria-hidden="true" />
      </button>
      {isOpen ? <NamesDialog kind={option.names} title={title} onChoose={onChoose} custom={custom} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

interface NamesDialogProps {
  readonly kind: NameKind;
  readonly title: string;
  readonly onChoose: (name: string) => void;
  readonly custom: NamesButtonProps["custom"];
  readonly onClose: () => void;
}

/** Kinds of names to which the user can add a new one by typing it. */
const creatableKinds: ReadonlySet<NameKind> = new Set(["mapping-document", "mapping-table", "route"]);

function NamesDialog({ kind, title, onChoose, custom, onClose }: NamesDialogProps) {
  const editor = useEditor();
  const { catalog } = useForm();
  const scheme = useEndpoint()?.connector.scheme;
  const target = useWorkspace((state) => state.target);
  const [names, setNames] = useState<readonly KnownName[] | undefined>(undefined);
  const [query, setQuery] = useState("");
  useEffect(() => {
    let isCurrent = true;
    void knownNames(kind, { catalog, routes: editor.flow.lastValid?.outline.routes ?? [], scheme, target }).then((found) => isCurrent && setNames(found));
    return () => {
      isCurrent = false;
    };
  }, [kind, catalog, editor, scheme, target]);
  const searchText = query.trim().toLowerCase();
  const matching = (names ?? []).filter(({ name, title: label }) => `${name} ${label}`.toLowerCase().includes(searchText));
  const isNew = creatableKinds.has(kind) && /^[\w.-]+$/.test(query.trim()) && !names?.some(({ name }) => name === query.trim());
  const created = isNew
    ? { name: query.trim(), title: text.create(query.trim()), isNew }
    : custom === undefined
      ? undefined
      : { name: "", title: custom.title, isNew: true };
  const items = created === undefined || names === undefined ? matching : [...matching, created];
  return (
    <Dialog title={title} onClose={onClose} actions={<Button onClick={onClose}>{strings.common.cancel}</Button>}>
      <SearchList
        label={creatableKinds.has(kind) ? text.searchOrCreate : text.search}
        listLabel={title}
        query={query}
        onQuery={setQuery}
        items={items}
        keyOf={({ name }) => name}
        onChoose={(selected) => {
          onClose();
          if (selected.isNew === true && custom !== undefined) return custom.create();
          onChoose(selected.name);
          if (selected.isNew === true && kind === "route") runCommand(editor, createLinkedRoute(catalog), "command");
        }}
        emptyText={names === undefined ? strings.common.loading : creatableKinds.has(kind) ? text.noneYet : strings.common.nothingFound}
      >
        {({ name, title: label, isNew: isAdded }) => (
          <>
            <span>{label}</span> {isAdded === true || label === name ? null : <span className="mono muted">{name}</span>}
          </>
        )}
      </SearchList>
    </Dialog>
  );
}
