import { useId } from "react";
import { renameKey, setYamlAt, type OptionView, treeAt } from "@sluice/model";
import { strings } from "../../strings.ts";
import { FormContext, nestedScope, useForm } from "../form-scope.ts";
import { asMap } from "../tree-values.ts";
import { useFormWriter } from "../use-form-writer.ts";
import { optionLabel } from "./option-label.ts";
import { OptionList } from "./option-list.tsx";
import { DocText } from "../../controls/doc-text.tsx";

const text = strings.inspector;

/** A data format: its name is a key next to the other options. */
export function FormatField({ option }: { readonly option: OptionView }) {
  const scope = useForm();
  const writer = useFormWriter();
  const id = useId();
  const entry = asMap(treeAt(scope.tree, scope.path))?.entries.find(({ key }) => scope.catalog.format(key) !== undefined);
  const format = entry === undefined ? undefined : scope.catalog.format(entry.key);
  return (
    <>
      <div className="field">
        <label className="field__label" htmlFor={id}>
          {optionLabel(option)}
        </label>
        <select
          id={id}
          className="input"
          value={format?.name ?? ""}
          onChange={(event) => {
            const name = event.target.value;
            writer.write(text.changed(text.format), (source) =>
              entry === undefined ? setYamlAt(source, [...scope.path, name], "{}", scope.shorthands) : renameKey(source, scope.path, entry.key, name),
            );
          }}
        >
          {format === undefined ? <option value="">{text.notSet}</option> : null}
          {scope.catalog.view.formats.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
        <div className="field__hint">
          <DocText text={format?.summary ?? option.doc} />
        </div>
      </div>
      {format === undefined || entry === undefined || entry.value.type === "list" ? null : (
        <fieldset className="section">
          <legend>{text.formatOptions}</legend>
          <FormContext.Provider value={nestedScope(scope, entry.key)}>
            <OptionList options={format.options} />
          </FormContext.Provider>
        </fieldset>
      )}
    </>
  );
}
