// The form of a connection, generated from the fields that its type declares.
import { createContext, useContext, useId, useState } from "react";
import type { OptionView } from "@sluice/model";
import { fieldGroups, isUsed, type FieldError } from "../../connections/connection-draft.ts";
import { Field, type FieldControl } from "../../controls/field.tsx";
import { valueAt, type Members, type Path } from "../../controls/json-path.ts";
import { SecretInput } from "../../controls/secret-input.tsx";
import { formatDefault, optionLabel } from "../../inspector/fields/option-label.ts";
import { strings } from "../../strings.ts";
import { connectionStrings as labels } from "../../strings/connections.ts";
import "../../inspector/inspector.css";
import { DocText } from "../../controls/doc-text.tsx";

export interface ConnectionForm {
  readonly values: Members;
  readonly error: FieldError | undefined;
  set(path: Path, value: unknown): void;
}

const FormContext = createContext<ConnectionForm>({ values: {}, error: undefined, set: () => undefined });

export function ConnectionFields({ fields, form }: { readonly fields: readonly OptionView[]; readonly form: ConnectionForm }) {
  const groups = fieldGroups(fields);
  return (
    <FormContext.Provider value={form}>
      <FieldList fields={groups.common} path={[]} />
      <FieldGroup title={labels.groups.security} fields={groups.security} />
      <FieldGroup title={labels.groups.advanced} fields={groups.advanced} />
    </FormContext.Provider>
  );
}

/** Open when the user opened it, when one of its fields is set, or when it contains the rejected field. */
function FieldGroup({ title, fields }: { readonly title: string; readonly fields: readonly OptionView[] }) {
  const { values, error } = useContext(FormContext);
  const [isOpen, setOpen] = useState(() => isUsed(fields, values));
  if (fields.length === 0) return null;
  return (
    <details className="fold" open={isOpen || fields.some(({ name }) => isAt(error, name))} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      <div className="fold__body">
        <FieldList fields={fields} path={[]} />
      </div>
    </details>
  );
}

const isAt = (error: FieldError | undefined, name: string): boolean => error !== undefined && (error.field === name || error.field.startsWith(`${name}.`));

function FieldList({ fields, path }: { readonly fields: readonly OptionView[]; readonly path: Path }) {
  return (
    <div className="connections__fields">
      {fields.map((field) =>
        field.fields === undefined ? (
          <ConnectionField key={field.name} field={field} path={[...path, field.name]} />
        ) : (
          <fieldset key={field.name} className="connections__group">
            <legend>{optionLabel(field)}</legend>
            <p className="field__hint">
              <DocText text={field.doc} />
            </p>
            <FieldList fields={field.fields} path={[...path, field.name]} />
          </fieldset>
        ),
      )}
    </div>
  );
}

function ConnectionField({ field, path }: { readonly field: OptionView; readonly path: Path }) {
  const { values, error, set } = useContext(FormContext);
  const hintId = useId();
  const value = valueAt(values, path);
  const label = field.required ? `${optionLabel(field)} (${strings.inspector.required})` : optionLabel(field);
  const defaultValue = formatDefault(field);
  const hint = <DocText text={defaultValue === undefined ? field.doc : `${field.doc} ${labels.defaultIs(defaultValue)}`} />;
  const message = error?.field === path.join(".") ? error.message : undefined;
  const write = (next: unknown): void => set(path, next);
  if (field.secret || (typeof value === "object" && value !== null))
    return (
      <SecretInput
        label={label}
        hint={hint}
        error={message}
        value={value}
        sources={["value", "env", "file"]}
        multiline={field.multiline === true}
        onChange={(next) => write(next === "" ? undefined : next)}
      />
    );
  if (field.kind === "boolean")
    return (
      <div className="field">
        <label className="choice">
          <input
            type="checkbox"
            aria-label={label}
            aria-describedby={hintId}
            checked={String(value ?? field.default ?? false) === "true"}
            onChange={(event) => write(event.target.checked)}
          />
          <span>
            {label}
            <span className="field__hint" id={hintId}>
              <DocText text={field.doc} />
            </span>
          </span>
        </label>
      </div>
    );
  return (
    <Field label={label} hint={hint} error={message}>
      {(control) => <TextControl control={control} field={field} text={value === undefined ? "" : String(value)} write={write} />}
    </Field>
  );
}

interface TextControlProps {
  readonly control: FieldControl;
  readonly field: OptionView;
  readonly text: string;
  write(value: unknown): void;
}

function TextControl({ control, field: { kind, values, multiline, required, default: defaultValue }, text, write }: TextControlProps) {
  const onChange = (event: { readonly target: { readonly value: string } }): void => {
    const { value } = event.target;
    // Invalid numbers are sent as text, so that the runtime reports the error.
    write(value === "" ? undefined : kind === "integer" && /^\d{1,15}$/.test(value) ? Number(value) : value);
  };
  const shared = { ...control, value: text, "aria-required": required || undefined, onChange };
  if (kind === "enum")
    return (
      <select {...shared} className="input">
        <option value="">{defaultValue === undefined ? strings.inspector.notSet : strings.inspector.notSetDefault(String(defaultValue))}</option>
        {values?.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  if (multiline === true) return <textarea {...shared} className="input input--mono" rows={4} spellCheck={false} />;
  return (
    <input
      {...shared}
      className={kind === "string" ? "input" : "input input--mono"}
      autoComplete="off"
      spellCheck={false}
      inputMode={kind === "integer" || kind === "number" ? "numeric" : undefined}
    />
  );
}
