import { Plus, Table2, Trash2 } from "lucide-react";
import { useCallback, useState } from "react";
import { Link } from "wouter";
import { runtimeAt } from "../../api-client/runtime-client.ts";
import { workspaceClient } from "../../api-client/workspace-client.ts";
import { Button } from "../../controls/button.tsx";
import { EmptyState } from "../../controls/empty-state.tsx";
import { Timestamp } from "../../controls/timestamp.tsx";
import { FailureBanner } from "../../controls/failure-banner.tsx";
import { SearchField } from "../../controls/search-field.tsx";
import { DataTable, hiddenHeading, numericHeading } from "../../controls/data-table.tsx";
import { installedMappings } from "../../mappings/installed-mappings.ts";
import { mappingKinds, mappingList, notInstalled, type MappingEntry } from "../../mappings/mapping-list.ts";
import { strings } from "../../strings.ts";
import { mappingStrings as labels } from "../../strings/mappings.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { useTitle } from "../shell-context.tsx";
import { draftsUnder, removeDraft, hasDraft } from "../use-unsaved-draft.ts";
import { usePolled } from "../../api-client/use-polled.ts";
import { draftKey, pathOf } from "./mapping-urls.ts";
import { NewMappingDialog } from "./new-mapping-dialog.tsx";
import { RemoveMappingDialog } from "./remove-mapping-dialog.tsx";
import "./mappings.css";

/** Maximum number of flows searched for uses of a mapping. */
const maxFlows = 200;

/** Value-mapping tables and message-mapping documents of the runtime and the workspace. */
export function MappingsScreen() {
  const target = useWorkspace((state) => state.target);
  const [text, setText] = useState("");
  const [creating, setCreating] = useState(false);
  const [removing, setRemoving] = useState<MappingEntry | undefined>(undefined);
  const [note, setNote] = useState("");
  useTitle(strings.pageTitle(labels.title));
  const load = useCallback(() => loadEntries(target), [target]);
  const [loaded, refresh] = usePolled(target === undefined ? undefined : load, undefined);
  const entries = loaded !== undefined && "value" in loaded ? withUnsaved(loaded.value, target) : undefined;
  const searchText = text.trim().toLowerCase();
  const matches = entries?.filter(({ id, name, shape }) => `${id} ${name} ${shape}`.toLowerCase().includes(searchText)) ?? [];
  const create = (
    <Button variant="primary" icon={<Plus size={16} aria-hidden="true" />} onClick={() => setCreating(true)}>
      {labels.create}
    </Button>
  );
  return (
    <div className="screen">
      <div className="screen__head">
        <h1>{labels.title}</h1>
        <span className="grow" />
        {entries?.length === 0 ? null : create}
      </div>
      <p className={note === "" ? "visually-hidden" : "muted"} aria-live="polite">
        {note}
      </p>
      {loaded !== undefined && "error" in loaded ? (
        <FailureBanner text={loaded.error}>
          <Button onClick={refresh}>{strings.common.retry}</Button>
        </FailureBanner>
      ) : null}
      {loaded === undefined ? <p className="muted">{strings.common.loading}</p> : null}
      {entries?.length === 0 ? (
        <EmptyState icon={<Table2 size={40} aria-hidden="true" />} title={labels.emptyTitle} text={labels.emptyText}>
          {create}
        </EmptyState>
      ) : null}
      {entries === undefined || entries.length === 0 ? null : (
        <>
          <div className="filters" role="search">
            <SearchField label={labels.search} hint={labels.searchHint} value={text} onChange={setText} />
          </div>
          {matches.length === 0 ? (
            <p className="muted">{strings.common.nothingFound}</p>
          ) : (
            <MappingTable entries={matches} target={target} onRemove={setRemoving} />
          )}
        </>
      )}
      {creating ? <NewMappingDialog entries={entries ?? []} target={target} onClose={() => setCreating(false)} /> : null}
      {removing === undefined ? null : (
        <RemoveMappingDialog
          entry={removing}
          target={target}
          onClose={() => setRemoving(undefined)}
          onRemoved={() => {
            removeDraft(draftKey(removing.kind, removing.id, target));
            setNote(labels.deleted(removing.id));
            setRemoving(undefined);
            refresh();
          }}
        />
      )}
    </div>
  );
}

interface TableProps {
  readonly entries: readonly MappingEntry[];
  readonly target: string | undefined;
  readonly onRemove: (entry: MappingEntry) => void;
}

function MappingTable({ entries, target, onRemove }: TableProps) {
  const { columns } = labels;
  return (
    <DataTable
      label={labels.listLabel}
      headings={[columns.name, columns.kind, columns.shape, numericHeading(columns.size), columns.usedBy, columns.changed, hiddenHeading(columns.action)]}
      stacks
    >
      {entries.map((entry) => (
        <tr key={`${entry.kind} ${entry.id}`}>
          <td>
            <Link href={pathOf(entry.kind, entry.id)}>{entry.name}</Link>
            {entry.name === entry.id ? null : <div className="mono muted">{entry.id}</div>}
            <div className="mappings__marks">
              {hasDraft(draftKey(entry.kind, entry.id, target)) ? <span className="chip chip--warn">{labels.unsaved}</span> : null}
              {entry.isInstalled || entry.isNew === true ? null : <span className="chip">{labels.notInstalled}</span>}
              {entry.error === undefined ? null : (
                <span className="chip chip--fail" title={entry.error}>
                  {labels.invalid}
                </span>
              )}
            </div>
          </td>
          <td data-label={columns.kind}>{labels.kinds[entry.kind]}</td>
          <td className="cell-text" data-label={columns.shape}>
            {entry.shape}
          </td>
          <td className="number" data-label={columns.size}>
            {entry.size}
          </td>
          <td className="cell-text" data-label={columns.usedBy}>
            {entry.usedBy.length === 0 ? <span className="muted">{labels.unused}</span> : entry.usedBy.join(", ")}
          </td>
          <td data-label={columns.changed}>{entry.lastModified === undefined ? null : <Timestamp iso={entry.lastModified} />}</td>
          <td className="number">
            <Button variant="quiet" icon={<Trash2 size={16} aria-hidden="true" />} aria-label={labels.deleteOne(entry.id)} onClick={() => onRemove(entry)} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

/** Includes new mappings that were created in this page and not saved yet. */
function withUnsaved(entries: readonly MappingEntry[], target: string | undefined): readonly MappingEntry[] {
  const unsaved = mappingKinds.flatMap((kind) =>
    draftsUnder(draftKey(kind, "", target))
      .filter((id) => !entries.some((entry) => entry.kind === kind && entry.id === id))
      .map((id) => ({ ...notInstalled(kind, id, []), isNew: true })),
  );
  return [...entries, ...unsaved];
}

async function loadEntries(target: string | undefined): Promise<readonly MappingEntry[]> {
  const runtime = runtimeAt(target);
  const [lists, valueFiles, messageFiles, flows] = await Promise.all([
    installedMappings(target),
    workspaceClient.documents("value-mappings"),
    workspaceClient.documents("message-mappings"),
    runtime.call("GET /flows").then(
      (reply) => reply.flows,
      () => [],
    ),
  ]);
  // Without a runtime, the files of the workspace can still be edited.
  if ("error" in lists && valueFiles.length + messageFiles.length === 0) throw lists.error;
  const { tables, documents } = "error" in lists ? { tables: [], documents: [] } : lists;
  const texts = await Promise.all(
    flows.slice(0, maxFlows).map(({ id }) =>
      runtime.call("GET /flows/:id", { params: { id } }).then(
        ({ yaml }) => [id, yaml] as const,
        () => [id, ""] as const,
      ),
    ),
  );
  return mappingList({
    tables,
    documents,
    flows: new Map(texts),
    workspace: { "value-mappings": valueFiles.map(({ id }) => id), "message-mappings": messageFiles.map(({ id }) => id) },
  });
}
