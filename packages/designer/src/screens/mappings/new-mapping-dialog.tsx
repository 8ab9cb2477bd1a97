import { useState } from "react";
import { slug } from "@sluice/model";
import { useLocation } from "wouter";
import type { MappingKind } from "../../api-client/runtime-client.ts";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog.tsx";
import { Field } from "../../controls/field.tsx";
import { newDocumentText } from "../../mappings/new-document.ts";
import type { MappingEntry } from "../../mappings/mapping-list.ts";
import { emptyTable } from "../../mappings/table-draft.ts";
import { strings } from "../../strings.ts";
import { mappingStrings as labels } from "../../strings/mappings.ts";
import { createDraft } from "../use-unsaved-draft.ts";
import { draftKey, pathOf } from "./mapping-urls.ts";

const kinds: readonly MappingKind[] = ["value-mappings", "message-mappings"];

export interface NewMappingProps {
  readonly entries: readonly MappingEntry[];
  readonly target: string | undefined;
  readonly onClose: () => void;
}

/** Name and kind of a new mapping. It is saved and deployed in its editor. */
export function NewMappingDialog({ entries, target, onClose }: NewMappingProps) {
  const [, navigate] = useLocation();
  const [kind, setKind] = useState<MappingKind>("value-mappings");
  const [name, setName] = useState("");
  const [error, setError] = useState<string | undefined>(undefined);
  const id = slug(name);
  const create = (): void => {
    if (name.trim() === "") return setError(labels.nameMissing);
    if (entries.some((entry) => entry.kind === kind && entry.id === id)) return setError(labels.nameTaken(id));
    createDraft(draftKey(kind, id, target), kind === "value-mappings" ? { ...emptyTable, name: name.trim() } : newDocumentText(name.trim()));
    navigate(pathOf(kind, id));
  };
  return (
    <Dialog
      title={labels.newTitle}
      onClose={onClose}
      onSubmit={create}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button variant="primary" type="submit">
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
      <fieldset className="choices">
        <legend className="field__label">{labels.kind}</legend>
        {kinds.map((value) => (
          <label key={value} className="choice">
            <input type="radio" name="kind" checked={kind === value} onChange={() => setKind(value)} />
            <span>
              {labels.kinds[value]}
              <span className="field__hint">{labels.kindHints[value]}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </Dialog>
  );
}
