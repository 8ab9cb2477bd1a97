import { useState } from "react";
import { Link, useLocation } from "wouter";
import { slug } from "@sluice/model";
import { Button } from "../controls/button.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { Field } from "../controls/field.tsx";
import { drafts } from "../document/drafts.ts";
import { strings } from "../strings.ts";
import { templates } from "../workspace/templates.ts";
import { readSetting, useWorkspace, writeSetting } from "../workspace/workspace-store.ts";
import "./new-flow-dialog.css";

const labels = strings.newFlow;
const maxNameLength = 120;
const lastCategoryKey = "sluice.category";

/** Name, category and template of a new flow. Creates only an unsaved draft. */
export function NewFlowDialog({ isTaken, onClose }: { readonly isTaken: (id: string) => boolean; readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const { categoryFile, targets, target } = useWorkspace();
  const categories = categoryFile?.categories ?? [];
  const [name, setName] = useState("");
  const [selectedCategory, setSelectedCategory] = useState<string | undefined>(readSetting(lastCategoryKey));
  const [start, setStart] = useState("webhook");
  const [pasted, setPasted] = useState("");
  const [isSubmitted, setSubmitted] = useState(false);
  const category = categories.some(({ id }) => id === selectedCategory) ? (selectedCategory as string) : "";
  const trimmed = name.trim();
  const id = slug(trimmed, isTaken);
  const systems = systemsOf(trimmed);
  const errors = {
    name: trimmed === "" ? labels.nameMissing : [...trimmed].length > maxNameLength ? labels.nameLong : undefined,
    category: category === "" ? labels.categoryMissing : undefined,
    pasted: start === "paste" && pasted.trim() === "" ? labels.pasteMissing : undefined,
  };
  const create = async (): Promise<void> => {
    setSubmitted(true);
    if (errors.name !== undefined || errors.category !== undefined || errors.pasted !== undefined) return;
    writeSetting(lastCategoryKey, category);
    const template = templates.find((candidate) => candidate.id === start);
    const text =
      template?.text?.({ id, name: trimmed, category }) ?? (await import("../workspace/pasted-flow.ts")).withNameAndCategory(pasted, trimmed, category);
    drafts.put(id, { text, baseHash: null, at: new Date().toISOString() });
    navigate(`/flows/${id}`);
  };
  return (
    <Dialog
      title={labels.title}
      onClose={onClose}
      onSubmit={() => void create()}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" variant="primary">
            {labels.create}
          </Button>
        </>
      }
    >
      <Field label={labels.name} hint={labels.nameHint} error={isSubmitted ? errors.name : undefined}>
        {(control) => (
          <input
            {...control}
            className="input"
            required
            autoFocus
            autoComplete="off"
            placeholder={labels.nameHint}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <div className="new-flow__preview" aria-live="polite">
        {systems === undefined ? null : (
          <span className="new-flow__ends">
            <span className="chip">
              {labels.from}: {systems[0]}
            </span>
            <span aria-hidden="true">→</span>
            <span className="chip">
              {labels.to}: {systems[1]}
            </span>
          </span>
        )}
        {trimmed === "" ? (
          <p className="muted">{labels.previewHint}</p>
        ) : (
          <dl>
            <dt>{labels.routeId}</dt>
            <dd className="mono">{id}</dd>
            {start === "webhook" || start === "http-to-http" ? (
              <>
                <dt>{labels.address}</dt>
                <dd className="mono">
                  POST {targets.find((entry) => entry.name === target)?.baseUrl ?? ""}/api/{id}
                </dd>
              </>
            ) : null}
          </dl>
        )}
        {trimmed !== "" && isTaken(slug(trimmed)) ? <p className="field__error">{labels.idInUse(slug(trimmed))}</p> : null}
      </div>
      <div className="new-flow__pair">
        <Field label={labels.category} hint={<Link href="/settings#categories">{labels.categoryLink}</Link>} error={isSubmitted ? errors.category : undefined}>
          {(control) => (
            <select {...control} className="input" required value={category} onChange={(event) => setSelectedCategory(event.target.value)}>
              <option value="" disabled>
                {labels.categoryChoose}
              </option>
              {categories.map((entry) => (
                <option key={entry.id} value={entry.id}>
                  {entry.label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <div className="field">
          <span className="field__label">{labels.state}</span>
          <span className="new-flow__state">{strings.states.Draft}</span>
        </div>
      </div>
      <fieldset className="new-flow__start">
        <legend className="field__label">{labels.start}</legend>
        {templates.map((template) => (
          <label key={template.id} className="new-flow__template">
            <input type="radio" name="start" value={template.id} checked={start === template.id} onChange={() => setStart(template.id)} />
            <span>
              <b>{template.title}</b>
              <small>{template.hint}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {start === "paste" ? (
        <Field label={labels.pasteLabel} hint={labels.pasteHint} error={isSubmitted ? errors.pasted : undefined}>
          {(control) => (
            <textarea
              {...control}
              className="input input--mono"
              rows={8}
              spellCheck={false}
              value={pasted}
              onChange={(event) => setPasted(event.target.value)}
            />
          )}
        </Field>
      ) : null}
    </Dialog>
  );
}

/** The source and target system of a name such as "Shop to ERP". */
function systemsOf(name: string): readonly [string, string] | undefined {
  const match = /^(.+?)\s+(?:to|→|->)\s+(.+)$/i.exec(name);
  return match === null ? undefined : [match[1] as string, match[2] as string];
}
