import { X } from "lucide-react";
import { useMemo } from "react";
import { Button } from "../../../controls/button.tsx";
import { DataTable } from "../../../controls/data-table.tsx";
import { outputValue, targetFields } from "../../../mappings/mapping-fields.ts";
import { unlinkField, withFormula, withMember } from "../../../mappings/rule-edits.ts";
import { mapperStrings as labels } from "../../../strings/mapper.ts";
import { FormulaInput } from "./formula-input.tsx";
import type { MapperProps } from "./mapper.tsx";
import "./mapper.css";

/** Every target field as an editable row, for keyboards, screen readers and narrow windows. */
export function MappingTable({ document, output, errors, onChange }: Pick<MapperProps, "document" | "output" | "errors" | "onChange">) {
  const targets = useMemo(() => targetFields(document), [document]);
  const { columns } = labels;
  return (
    <DataTable stacks label={labels.targetFields} headings={[columns.target, columns.formula, columns.condition, columns.result, columns.action]}>
      {targets.map((target) => {
        const { path, name, depth, formula, when, isGroup, required, rule } = target;
        const isLoop = isGroup && name.endsWith("[]");
        return (
          <tr key={path}>
            <td className="mono" style={{ paddingInlineStart: `${12 + depth * 16}px` }}>
              {name}
              {required ? <span className="mapper__required"> *</span> : null}
            </td>
            <td data-label={columns.formula}>
              {isGroup && !isLoop ? null : (
                <FormulaInput
                  label={isLoop ? labels.forEachOf(path) : labels.formulaOf(path)}
                  value={formula ?? ""}
                  isInvalid={errors.has(path)}
                  names={noNames}
                  onChange={(text, group) => onChange(withFormula(document, target, text), group)}
                />
              )}
            </td>
            <td data-label={columns.condition}>
              {rule === undefined || (isGroup && !isLoop) ? null : (
                <FormulaInput
                  label={isLoop ? labels.whereOf(path) : labels.conditionOf(path)}
                  value={when}
                  names={noNames}
                  onChange={(text, group) => onChange(withMember(document, target, isLoop ? "where" : "when", text), group)}
                />
              )}
            </td>
            <td className="mono cell-text" data-label={columns.result}>
              {errors.get(path) ?? outputValue(output, path)}
            </td>
            <td>
              {rule === undefined ? null : (
                <Button
                  variant="quiet"
                  icon={<X size={16} aria-hidden="true" />}
                  aria-label={labels.removeOne(path)}
                  title={labels.removeOne(path)}
                  onClick={() => onChange(unlinkField(document, target))}
                />
              )}
            </td>
          </tr>
        );
      })}
    </DataTable>
  );
}

const noNames: readonly string[] = [];
