import { useDeferredValue, useMemo, useState } from "react";
import { openTable } from "../../mappings/open-table.ts";
import { checkTable } from "../../mappings/table-check.ts";
import { documentOf } from "../../mappings/table-draft.ts";
import { mappingStrings as labels } from "../../strings/mappings.ts";
import { useUnsavedDraft } from "../use-unsaved-draft.ts";
import { MappingFrame, MessageList } from "./mapping-frame.tsx";
import { OpenedMapping, type MappingEditorProps } from "./opened-mapping.tsx";
import { draftKey } from "./mapping-urls.ts";
import { TableColumns } from "./table-columns.tsx";
import { TableFiles } from "./table-files.tsx";
import { TableGrid } from "./table-grid.tsx";
import { TableLookup } from "./table-lookup.tsx";
import { TableSettings } from "./table-settings.tsx";
import { useSaving } from "./use-saving.ts";
import "./mappings.css";

/** The editor of a value-mapping table. */
export function TableScreen({ id }: { readonly id: string }) {
  return <OpenedMapping kind="value-mappings" id={id} editor={TableEditor} />;
}

function TableEditor({ id, loaded, target }: MappingEditorProps) {
  const saving = useSaving("value-mappings", id, loaded, target);
  const opened = useMemo(() => openTable(id, saving.saved.document), [id, saving.saved.document]);
  const { draft, isChanged, isRestored, change, undo, redo, reset } = useUnsavedDraft(draftKey("value-mappings", id, target), opened.draft);
  const [search, setSearch] = useState("");
  const deferredDraft = useDeferredValue(draft);
  const check = useMemo(() => checkTable(id, deferredDraft), [id, deferredDraft]);
  const resetIf = (isSaved: boolean): void => {
    if (isSaved) reset(openTable(id, documentOf(draft)).draft);
  };
  const serverWarnings = saving.warnings.filter((warning) => !check.warnings.includes(warning));
  return (
    <MappingFrame
      id={id}
      title={draft.name === "" ? id : draft.name}
      isChanged={isChanged}
      isRestored={isRestored}
      saving={saving}
      target={target}
      undo={undo}
      redo={redo}
      onSave={() => void saving.save(documentOf(draft)).then(resetIf)}
      onDeploy={() => void saving.deploy(documentOf(draft)).then(resetIf)}
      onUseDeployed={() => change(openTable(id, saving.saved.deployed).draft)}
      onDiscard={() => reset(opened.draft)}
    >
      {opened.problem === undefined ? null : <MessageList title={labels.problems} variant="fail" messages={[opened.problem]} />}
      <TableSettings draft={draft} onChange={change} />
      <TableGrid draft={draft} problems={check.problems} search={search} onSearch={setSearch} onChange={(next) => change(next, focusedCell())} />
      <MessageList
        title={labels.problems}
        variant="fail"
        messages={check.problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))}
      />
      <MessageList title={labels.warnings} variant="warn" messages={[...check.warnings, ...serverWarnings]} />
      <div className="mapping__pair">
        <TableLookup draft={draft} table={check.table} />
        <TableFiles id={id} draft={draft} onChange={change} />
      </div>
      <TableColumns draft={draft} onChange={change} />
    </MappingFrame>
  );
}

/** The cell with the focus: all typing in it is one undo step. */
function focusedCell(): string | undefined {
  const { activeElement } = document;
  return activeElement instanceof HTMLInputElement ? (activeElement.getAttribute("aria-label") ?? undefined) : undefined;
}
