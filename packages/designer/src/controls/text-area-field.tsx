import { Field, type FieldProps } from "./field.tsx";

interface TextAreaFieldProps extends Omit<FieldProps, "children"> {
  readonly rows: number;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A labeled text area for bodies, headers and other monospaced text. */
export function TextAreaField({ rows, value, onChange, ...field }: TextAreaFieldProps) {
  return (
    <Field {...field}>
      {(control) => (
        <textarea {...control} className="input input--mono" rows={rows} spellCheck={false} value={value} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}
