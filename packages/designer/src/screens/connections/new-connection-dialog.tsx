import { useMemo, useState } from "react";
import { slug } from "@sluice/model";
import { useLocation } from "wouter";
import { useCatalog } from "../../catalog/use-catalog.ts";
import type { ConnectionDraft } from "../../connections/connection-draft.ts";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog.tsx";
import { Field } from "../../controls/field.tsx";
import { strings } from "../../strings.ts";
import { connectionStrings as labels } from "../../strings/connections.ts";
import { createDraft } from "../use-unsaved-draft.ts";
import { draftKey, pathOf } from "./connection-urls.ts";

export interface NewConnectionProps {
  readonly ids: readonly string[];
  readonly target: string | undefined;
  readonly onClose: () => void;
}

/** Name and type of a new connection. It is saved only in its editor. */
export function NewConnectionDialog({ ids, target, onClose }: NewConnectionProps) {
  const [, navigate] = useLocation();
  const catalog = useCatalog();
  const types = useMemo(() => (catalog?.view.connections ?? []).toSorted((left, right) => (left.title < right.title ? -1 : 1)), [catalog]);
  const [name, setName] = useState("");
  const [selectedType, setSelectedType] = useState<string | undefined>(undefined);
  const [error, setError] = useState<string | undefined>(undefined);
  const type = types.find((candidate) => candidate.type === selectedType) ?? types[0];
  const id = slug(name);
  const create = (): void => {
    if (type === undefined) return;
    if (name.trim() === "") return setError(labels.nameMissing);
    // The id `new` would have the URL of this dialog.
    if (id === "new") return setError(labels.nameReserved(id));
    if (ids.includes(id)) return setError(labels.nameTaken(id));
    const draft: ConnectionDraft = { type: type.type, ...(name.trim() === id ? {} : { title: name.trim() }), values: {} };
    createDraft(draftKey(id, target), draft);
    navigate(pathOf(id));
  };
  return (
    <Dialog
      title={labels.newTitle}
      onClose={onClose}
      onSubmit={create}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button variant="primary" type="submit" disabled={type === undefined}>
            {labels.createButton}
          </Button>
        </>
      }
    >
      <Field label={labels.name} hint={name.trim() === "" ? undefined : labels.nameHint(id)} error={error}>
        {(control) => (
          <input
            {...control}
            className="input"
            autoFocus
            maxLength={120}
            value={name}
            onChange={(event) => {
              setName(event.target.value);
              setError(undefined);
            }}
          />
        )}
      </Field>
      {type === undefined ? (
        <p className="muted">{labels.noTypes}</p>
      ) : (
        <Field label={labels.type} hint={type.summary}>
          {(control) => (
            <select {...control} className="input" value={type.type} onChange={(event) => setSelectedType(event.target.value)}>
              {[...new Set(types.map(({ group }) => group))].map((group) => (
                <optgroup key={group} label={group}>
                  {types
                    .filter((candidate) => candidate.group === group)
                    .map((candidate) => (
                      <option key={candidate.type} value={candidate.type}>
                        {candidate.title}
                      </option>
                    ))}
                </optgroup>
              ))}
            </select>
          )}
        </Field>
      )}
    </Dialog>
  );
}
