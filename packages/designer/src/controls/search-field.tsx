import { Field } from "./field.tsx";

interface SearchFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** The search filter above a list. */
export function SearchField({ label, hint, value, onChange }: SearchFieldProps) {
  return (
    <div className="field field--search">
      <Field label={label}>
        {(control) => (
          <input {...control} className="input" type="search" placeholder={hint} value={value} onChange={(event) => onChange(event.target.value)} />
        )}
      </Field>
    </div>
  );
}
