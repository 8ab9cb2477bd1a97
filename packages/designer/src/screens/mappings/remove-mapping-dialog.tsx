import { useState } from "react";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog.tsx";
import type { MappingEntry } from "../../mappings/mapping-list.ts";
import { removeMapping } from "../../mappings/saved-mapping.ts";
import { strings } from "../../strings.ts";
import { mappingStrings as labels } from "../../strings/mappings.ts";

export interface RemoveMappingProps {
  readonly entry: MappingEntry;
  readonly target: string | undefined;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

/** Confirms the deletion of a mapping and lists the flows and documents that use it. */
export function RemoveMappingDialog({ entry, target, onClose, onRemoved }: RemoveMappingProps) {
  const [error, setError] = useState<string | undefined>(undefined);
  return (
    <Dialog
      title={labels.deleteTitle(entry.id)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button
            variant="primary"
            onClick={() => void removeMapping(entry.kind, entry.id, entry.hash, target).then(onRemoved, (reason: Error) => setError(reason.message))}
          >
            {labels.delete}
          </Button>
        </>
      }
    >
      {entry.usedBy.length === 0 ? <p>{labels.deleteUnused}</p> : <p className="mappings__caution">{labels.deleteUsed(entry.usedBy.join(", "))}</p>}
      <p className="muted">{labels.deleteBoth}</p>
      {error === undefined ? null : (
        <p className="field__error" role="alert">
          {error}
        </p>
      )}
    </Dialog>
  );
}
