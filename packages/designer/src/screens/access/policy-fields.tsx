// Form fields that read and write one path of the edited policy and show its validation errors.
import { createContext, useContext, useId, useState, type ReactNode } from "react";
import { errorAt, type PolicyErrors, type Policy } from "../../access/policy-edits.ts";
import { valueAt, type Path } from "../../controls/json-path.ts";
import { Field } from "../../controls/field.tsx";
import { SecretInput } from "../../controls/secret-input.tsx";
import { accessStrings as labels } from "../../strings/access.ts";

export interface PolicyForm {
  readonly policy: Policy;
  readonly errors: PolicyErrors;
  set(path: Path, value: unknown): void;
}

export const PolicyFormContext = createContext<PolicyForm | undefined>(undefined);

export function usePolicyForm(): PolicyForm {
  const form = useContext(PolicyFormContext);
  if (form === undefined) throw new Error("usePolicyForm must be called inside a PolicyFormContext");
  return form;
}

export interface PolicyFieldProps {
  readonly path: Path;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly placeholder?: string;
}

export function TextField({ path, label, hint, placeholder }: PolicyFieldProps) {
  const { policy, errors, set } = usePolicyForm();
  const value = valueAt(policy, path);
  return (
    <Field label={label} hint={hint} error={errorAt(errors, path)}>
      {(control) => (
        <input
          {...control}
          className="input"
          placeholder={placeholder}
          value={Array.isArray(value) ? value.join(", ") : String(value ?? "")}
          onChange={(event) => set(path, event.target.value === "" ? undefined : event.target.value)}
        />
      )}
    </Field>
  );
}

/** Invalid numbers are sent as text, so that the runtime reports the error. */
export function NumberField({ path, label, hint, placeholder }: PolicyFieldProps) {
  const { policy, errors, set } = usePolicyForm();
  return (
    <Field label={label} hint={hint} error={errorAt(errors, path)}>
      {(control) => (
        <input
          {...control}
          className="input"
          inputMode="numeric"
          placeholder={placeholder}
          value={String(valueAt(policy, path) ?? "")}
          onChange={({ target: { value } }) => set(path, value === "" ? undefined : /^\d+$/.test(value) ? Number(value) : value)}
        />
      )}
    </Field>
  );
}

const itemsOf = (text: string): readonly string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

export interface ListFieldProps extends PolicyFieldProps {
  /** Applied to each item when the list is written. */
  readonly transform?: (item: string) => string;
  /** True where a missing list differs from an empty one. */
  readonly keepsEmpty?: boolean;
  /** True where a single item may be written without a list. */
  readonly singleAsText?: boolean;
}

export function ListField({
  path,
  label,
  hint = labels.listHint,
  placeholder,
  transform = (item) => item,
  keepsEmpty = false,
  singleAsText = false,
}: ListFieldProps) {
  const { policy, errors, set } = usePolicyForm();
  const value = valueAt(policy, path);
  const stored = Array.isArray(value) ? value.join(", ") : String(value ?? "");
  // Keeps the typed text, including commas, while its meaning is unchanged.
  const [typed, setTyped] = useState(stored);
  const isSame = itemsOf(typed).map(transform).join(", ") === stored;
  return (
    <Field label={label} hint={hint} error={errorAt(errors, path)}>
      {(control) => (
        <input
          {...control}
          className="input"
          placeholder={placeholder}
          value={isSame ? typed : stored}
          onChange={(event) => {
            setTyped(event.target.value);
            const items = itemsOf(event.target.value).map(transform);
            set(path, items.length === 0 && !keepsEmpty ? undefined : singleAsText && items.length === 1 ? items[0] : items);
          }}
        />
      )}
    </Field>
  );
}

export interface SelectFieldProps extends PolicyFieldProps {
  readonly choices: Readonly<Record<string, string>>;
  /** The meaning of an absent value. */
  readonly absent?: string;
}

export function SelectField({ path, label, hint, choices, absent = "" }: SelectFieldProps) {
  const { policy, errors, set } = usePolicyForm();
  return (
    <Field label={label} hint={hint} error={errorAt(errors, path)}>
      {(control) => (
        <select
          {...control}
          className="input"
          value={String(valueAt(policy, path) ?? absent)}
          onChange={(event) => set(path, event.target.value === "" ? undefined : event.target.value)}
        >
          {Object.entries(choices).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A secret: kept as stored, replaced, or read from an environment variable of the runtime. */
export function SecretField({ path, label }: PolicyFieldProps) {
  const { policy, errors, set } = usePolicyForm();
  const fingerprint = valueAt(policy, [...path, "fingerprint"]) ?? valueAt(policy, [...path.slice(0, -1), "fingerprint"]);
  return (
    <SecretInput
      label={label}
      value={valueAt(policy, path)}
      sources={["value", "env"]}
      error={errorAt(errors, path) ?? errorAt(errors, [...path, "env"])}
      fingerprint={typeof fingerprint === "string" ? fingerprint : undefined}
      onChange={(value) => set(path, value)}
    />
  );
}

export interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onSwitch: (isOn: boolean) => void;
  readonly children?: ReactNode;
}

/** A check box that shows further fields. */
export function Switch({ label, isOn, onSwitch, children }: SwitchProps) {
  const id = useId();
  return (
    <div className="policy__switch">
      <label className="choice" htmlFor={id}>
        <input id={id} type="checkbox" checked={isOn} onChange={(event) => onSwitch(event.target.checked)} />
        {label}
      </label>
      {isOn ? children : null}
    </div>
  );
}
