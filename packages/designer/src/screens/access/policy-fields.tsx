// Form fields that read and write one path of the policy under edit and show what a refusal said about it.
import { createContext, useContext, useId, useState, type ReactNode } from "react";
import { errorAt, valueAt, type Path, type PlacedErrors, type Policy } from "../../access/policy-edits.ts";
import { Button } from "../../controls/button.tsx";
import { Field } from "../../controls/field.tsx";
import { accessStrings as words } from "../../strings/access.ts";

export interface PolicyForm {
  readonly policy: Policy;
  readonly errors: PlacedErrors;
  set(path: Path, value: unknown): void;
}

export const PolicyFormContext = createContext<PolicyForm | undefined>(undefined);

export function usePolicyForm(): PolicyForm {
  const form = useContext(PolicyFormContext);
  if (form === undefined) throw new Error("a policy field stands outside of a policy form");
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

/** Text that is no number is sent as it is: the runtime says what it wants. */
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
  /** Changes each item as it is written. */
  readonly each?: (item: string) => string;
  /** True where a missing list would mean something else than an empty one. */
  readonly keepsEmpty?: boolean;
  /** True where a single item may stand without a list. */
  readonly oneAsText?: boolean;
}

export function ListField({ path, label, hint = words.listHint, placeholder, each = (item) => item, keepsEmpty = false, oneAsText = false }: ListFieldProps) {
  const { policy, errors, set } = usePolicyForm();
  const value = valueAt(policy, path);
  const shown = Array.isArray(value) ? value.join(", ") : String(value ?? "");
  // What is typed stays as typed, commas and all, as long as it says the same.
  const [typed, setTyped] = useState(shown);
  const isSame = itemsOf(typed).map(each).join(", ") === shown;
  return (
    <Field label={label} hint={hint} error={errorAt(errors, path)}>
      {(control) => (
        <input
          {...control}
          className="input"
          placeholder={placeholder}
          value={isSame ? typed : shown}
          onChange={(event) => {
            setTyped(event.target.value);
            const items = itemsOf(event.target.value).map(each);
            set(path, items.length === 0 && !keepsEmpty ? undefined : oneAsText && items.length === 1 ? items[0] : items);
          }}
        />
      )}
    </Field>
  );
}

export interface SelectFieldProps extends PolicyFieldProps {
  readonly choices: Readonly<Record<string, string>>;
  /** What an absent value means. */
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

const masked = "***";

/** A secret: kept as it is stored, typed anew, or read from a variable of the runtime. */
export function SecretField({ path, label }: PolicyFieldProps) {
  const { policy, errors, set } = usePolicyForm();
  const given = valueAt(policy, path);
  const members = typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : undefined;
  const value = members === undefined ? given : (members["value"] ?? members["env"]);
  const isVariable = members !== undefined && Object.hasOwn(members, "env");
  const error = errorAt(errors, path) ?? errorAt(errors, [...path, "env"]);
  if (value === masked && !isVariable) {
    const fingerprint = members?.["fingerprint"] ?? valueAt(policy, [...path.slice(0, -1), "fingerprint"]);
    return (
      <Field label={label} hint={words.secret.kept(typeof fingerprint === "string" ? fingerprint : "")} error={error}>
        {(control) => (
          <div className="secret">
            <input {...control} className="input input--mono" readOnly value={masked} />
            <Button aria-label={words.secret.replace(label)} onClick={() => set(path, "")}>
              {words.secret.replaceShort}
            </Button>
          </div>
        )}
      </Field>
    );
  }
  return (
    <Field label={label} error={error}>
      {(control) => (
        <div className="secret">
          <select
            className="input secret__as"
            aria-label={words.secret.as(label)}
            value={isVariable ? "env" : "value"}
            onChange={(event) => set(path, event.target.value === "env" ? { env: "" } : "")}
          >
            <option value="value">{words.secret.value}</option>
            <option value="env">{words.secret.env}</option>
          </select>
          <input
            {...control}
            className="input input--mono"
            type={isVariable ? "text" : "password"}
            autoComplete="new-password"
            value={String(value ?? "")}
            onChange={(event) => set(path, isVariable ? { env: event.target.value } : event.target.value)}
          />
        </div>
      )}
    </Field>
  );
}

export interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onSwitch: (isOn: boolean) => void;
  readonly children?: ReactNode;
}

/** A check box, and what it opens. */
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
