import { useMemo, useState, type ReactNode } from "react";
import { Button } from "../../../controls/button.tsx";
import { Dialog } from "../../../controls/dialog.tsx";
import { Field } from "../../../controls/field.tsx";
import {
  comparisonValues,
  comparesWithValue,
  comparisonOperators,
  comparisonText,
  joinConditions,
  typedLiteral,
  type ComparisonOperator,
  type ConditionJoin,
} from "../../../mappings/comparison.ts";
import type { SourceField } from "../../../mappings/mapping-fields.ts";
import { relativePath } from "../../../mappings/mapping-paths.ts";
import { strings } from "../../../strings.ts";
import { mapperStrings as labels } from "../../../strings/mapper.ts";

interface ConditionDialogProps {
  readonly title: string;
  readonly existing: string;
  /** Fields with a value, which can be compared. */
  readonly sources: readonly SourceField[];
  /** The lists whose items the condition reads, outermost first. */
  readonly loops: readonly string[];
  readonly sample: string;
  readonly onCondition: (text: string) => void;
  readonly onClose: () => void;
}

const rows = 9;

/** Builds a condition from lists: a field, an operator, and a value of the sample, a number or another field. */
export function ConditionDialog({ title, existing, sources, loops, sample, onCondition, onClose }: ConditionDialogProps) {
  const fields = useMemo(() => sources.map((source) => ({ source, text: relativePath(source.path, loops) })), [sources, loops]);
  const [fieldText, setFieldText] = useState("");
  const [operator, setOperator] = useState<ComparisonOperator>("equals");
  const [selectedValue, setSelectedValue] = useState("");
  const [typed, setTyped] = useState("");
  const [join, setJoin] = useState<ConditionJoin>(existing === "" ? "replace" : "and");
  const field = fields.find(({ text }) => text === fieldText);
  const values = useMemo(() => (field === undefined ? { sampled: [], round: [] } : comparisonValues(sample, field.source)), [field, sample]);
  const operand = typed === "" ? selectedValue : typedLiteral(typed);
  const needsValue = comparesWithValue(operator);
  const added = field === undefined || (needsValue && operand === "") ? undefined : comparisonText(fieldText, operator, operand);
  const text = added === undefined ? undefined : joinConditions(existing, added, join);
  return (
    <Dialog
      wide
      title={title}
      onClose={onClose}
      onSubmit={() => text !== undefined && onCondition(text)}
      actions={
        <>
          {existing === "" ? null : <Button onClick={() => onCondition("")}>{labels.removeCondition}</Button>}
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={text === undefined}>
            {labels.apply}
          </Button>
        </>
      }
    >
      {existing === "" ? null : (
        <List label={labels.join} rows={3} value={join} onChange={(value) => setJoin(value as ConditionJoin)}>
          {Object.entries(labels.joins).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </List>
      )}
      <div className="mapper__comparison">
        <List
          autoFocus
          label={labels.comparedField}
          rows={rows}
          value={fieldText}
          onChange={(value) => {
            setFieldText(value);
            setSelectedValue("");
          }}
        >
          {fields.map(({ text: path, source }) => (
            <option key={path} value={path}>
              {labels.fieldWithExample(path, source.example ?? "")}
            </option>
          ))}
        </List>
        <List label={labels.operator} rows={rows} value={operator} onChange={(value) => setOperator(value as ComparisonOperator)}>
          {comparisonOperators.map((name) => (
            <option key={name} value={name}>
              {labels.operators[name]}
            </option>
          ))}
        </List>
        <List label={labels.operand} rows={rows} value={selectedValue} isDisabled={!needsValue || field === undefined} onChange={setSelectedValue}>
          {[
            [labels.sampled, values.sampled],
            [labels.round, values.round],
            [labels.otherFields, fields.map(({ text: path }) => path).filter((path) => path !== fieldText)],
          ].map(([label, options]) =>
            options === undefined || options.length === 0 ? null : (
              <optgroup key={label as string} label={label as string}>
                {(options as readonly string[]).map((option) => (
                  <option key={option} value={option}>
                    {option}
                  </option>
                ))}
              </optgroup>
            ),
          )}
        </List>
      </div>
      <Field label={labels.otherValue} hint={labels.otherValueHint}>
        {(control) => <input {...control} className="input" disabled={!needsValue} value={typed} onChange={(event) => setTyped(event.target.value)} />}
      </Field>
      <p>
        {labels.condition} <code className="mono">{text ?? "…"}</code>
      </p>
    </Dialog>
  );
}

interface ListProps {
  readonly label: string;
  readonly rows: number;
  readonly value: string;
  readonly isDisabled?: boolean;
  readonly autoFocus?: boolean;
  readonly onChange: (value: string) => void;
  readonly children: ReactNode;
}

/** A list with all choices visible, which are selected with a click or the arrow keys. */
function List({ label, rows: size, value, isDisabled = false, autoFocus = false, onChange, children }: ListProps) {
  return (
    <Field label={label}>
      {(control) => (
        <select
          {...control}
          className="input input--list"
          size={size}
          disabled={isDisabled}
          autoFocus={autoFocus}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          {children}
        </select>
      )}
    </Field>
  );
}
