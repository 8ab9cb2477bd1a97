import { useState } from "react";
import { runtimeAt } from "../../api-client/runtime-client.ts";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog.tsx";
import { strings } from "../../strings.ts";
import { connectionStrings as labels } from "../../strings/connections.ts";

export interface RemoveConnectionProps {
  readonly id: string;
  readonly hash: string;
  readonly flows: readonly string[];
  readonly target: string | undefined;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

/** Confirms the deletion of a connection and lists the flows that use it. */
export function RemoveConnectionDialog({ id, hash, flows, target, onClose, onRemoved }: RemoveConnectionProps) {
  const [error, setError] = useState<string | undefined>(undefined);
  const remove = (): void =>
    void runtimeAt(target)
      .call("DELETE /connections/:id", { params: { id }, ifMatch: hash })
      .then(onRemoved, (reason: Error) => setError(reason.message));
  return (
    <Dialog
      title={labels.deleteTitle(id)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button variant="primary" disabled={flows.length > 0} onClick={remove}>
            {labels.remove}
          </Button>
        </>
      }
    >
      {flows.length === 0 ? <p>{labels.deleteText}</p> : <p className="mappings__caution">{labels.deleteUsed(flows.join(", "))}</p>}
      {error === undefined ? null : (
        <p className="field__error" role="alert">
          {error}
        </p>
      )}
    </Dialog>
  );
}
