import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Field } from "./field.tsx";
import { secretStrings as labels } from "../strings/secrets.ts";

const masked = "***";

/** Where a secret comes from: typed text, an environment variable of the runtime, or a mounted file. */
type SecretSource = keyof typeof labels.sources;

export interface SecretInputProps {
  readonly label: string;
  /** Text, or a reference such as `{env: NAME}`. The runtime returns a stored secret as `***`. */
  readonly value: unknown;
  readonly sources: readonly SecretSource[];
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly fingerprint?: string | undefined;
  /** True for keys and certificates, which lose their line breaks in a single-line field. */
  readonly multiline?: boolean;
  onChange(value: unknown): void;
}

/** A secret: unchanged, replaced, or read from a source that the runtime can access. */
export function SecretInput({ label, value: secret, sources, hint, error, fingerprint, multiline = false, onChange }: SecretInputProps) {
  const members = typeof secret === "object" && secret !== null ? (secret as Readonly<Record<string, unknown>>) : undefined;
  const source = sources.find((name) => members !== undefined && Object.hasOwn(members, name)) ?? "value";
  const value = members === undefined ? secret : members[source];
  if (value === masked && source === "value") {
    return (
      <Field label={label} hint={labels.stored(fingerprint)} error={error}>
        {(control) => (
          <div className="secret">
            <input {...control} className="input input--mono" readOnly value={masked} />
            <Button aria-label={labels.replace(label)} onClick={() => onChange("")}>
              {labels.replaceShort}
            </Button>
          </div>
        )}
      </Field>
    );
  }
  const text = String(value ?? "");
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <div className="secret">
          <select
            className="input secret__source"
            aria-label={labels.source(label)}
            value={source}
            onChange={(event) => onChange(event.target.value === "value" ? "" : { [event.target.value]: "" })}
          >
            {sources.map((name) => (
              <option key={name} value={name}>
                {labels.sources[name]}
              </option>
            ))}
          </select>
          {multiline && source === "value" ? (
            <textarea {...control} className="input input--mono" rows={4} spellCheck={false} value={text} onChange={(event) => onChange(event.target.value)} />
          ) : (
            <input
              {...control}
              className="input input--mono"
              type={source === "value" ? "password" : "text"}
              autoComplete="new-password"
              value={text}
              onChange={(event) => onChange(source === "value" ? event.target.value : { [source]: event.target.value })}
            />
          )}
        </div>
      )}
    </Field>
  );
}
