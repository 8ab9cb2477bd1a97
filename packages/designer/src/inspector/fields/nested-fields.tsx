// Fields for options that are objects or lists.
import { ArrowUp, Plus, Trash2 } from "lucide-react";
import { useId, useState, type ComponentProps } from "react";
import { insertItem, moveItem, removeItem, removeOption, setScalar, setYamlAt, type Edit, type OptionView, treeAt } from "@sluice/model";
import { Button } from "../../controls/button.tsx";
import { strings } from "../../strings.ts";
import { FormContext, nestedScope, useForm, type FieldProps } from "../form-scope.ts";
import { customRule } from "../custom-rule.ts";
import { textOf } from "../tree-values.ts";
import { useFormWriter } from "../use-form-writer.ts";
import { NamesButton } from "./names-button.tsx";
import { optionLabel } from "./option-label.ts";
import { OptionList } from "./option-list.tsx";
import { TypedInput } from "./typed-input.tsx";
import { DocText } from "../../controls/doc-text.tsx";

const labels = strings.inspector;

/** An option that is a mapping; its members are rendered when it is expanded. */
export function ObjectField({ option }: { readonly option: OptionView }) {
  const scope = useForm();
  const writer = useFormWriter();
  const nested = nestedScope(scope, option.name, option.shorthand);
  const value = treeAt(scope.tree, nested.path);
  const [open, setOpen] = useState(value !== undefined);
  const label = optionLabel(option);
  return (
    <details className="fold" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {label}
        <span className="field__hint">
          {" "}
          <DocText text={option.doc} />
        </span>
      </summary>
      {open ? (
        <div className="fold__body">
          {value === undefined ? (
            <Button
              icon={<Plus size={16} aria-hidden="true" />}
              onClick={() => writer.write(labels.addGroup(label), (source) => setYamlAt(source, nested.path, "{}", scope.shorthands))}
            >
              {labels.addGroup(label)}
            </Button>
          ) : (
            <Button
              variant="quiet"
              icon={<Trash2 size={16} aria-hidden="true" />}
              onClick={() => writer.write(labels.removeGroup(label), (source) => removeOption(source, scope.path, option.name))}
            >
              {labels.removeGroup(label)}
            </Button>
          )}
          <FormContext.Provider value={nested}>
            <OptionList options={option.fields ?? []} />
          </FormContext.Provider>
        </div>
      ) : null}
    </details>
  );
}

/** A list of strings or mappings: add, remove, move up. */
export function ListField({ option, options }: FieldProps) {
  const scope = useForm();
  const writer = useFormWriter();
  const id = useId();
  const list = nestedScope(scope, option.name);
  const value = treeAt(scope.tree, list.path);
  const items = value?.type === "list" ? value.items : [];
  const label = optionLabel(option);
  const fields = option.item?.fields;
  const add = (source: string): Edit => {
    const yaml = fields === undefined ? '""' : starterItem(fields);
    return items.length === 0 && value?.type !== "list"
      ? setYamlAt(source, list.path, `- ${yaml.replaceAll("\n", "\n  ")}`, scope.shorthands)
      : insertItem(source, list.path, items.length, yaml);
  };
  const remove =
    (index: number) =>
    (source: string): Edit =>
      items.length === 1 ? removeOption(source, scope.path, option.name) : removeItem(source, list.path, index);
  const customRuleAt = (index: number): ComponentProps<typeof NamesButton>["custom"] => {
    const custom = option.item === undefined ? undefined : customRule(scope, option.item, options, [...list.path, index]);
    return custom && { title: custom.title, create: () => writer.write(labels.changed(label), custom.write) };
  };
  return (
    <fieldset className="list-field">
      <legend className="field__label">
        {label}
        {option.required ? <span className="option__required"> {labels.required}</span> : null}
      </legend>
      <p className="field__hint" id={`${id}-doc`}>
        <DocText text={option.doc} />
      </p>
      {items.map((item, index) => (
        <div className={fields === undefined ? "list-field__row" : "list-field__group"} key={index}>
          {fields === undefined ? (
            <TypedInput
              control={{
                id: `${id}-${index}`,
                "aria-describedby": `${id}-doc`,
                "aria-invalid": undefined,
                ...{ "aria-label": labels.itemLabel(label, index + 1) },
              }}
              name={option.name}
              label={label}
              value={textOf(item) ?? ""}
              mono
              write={(text) => (source) => setScalar(source, [...list.path, index], text)}
            />
          ) : (
            <FormContext.Provider value={nestedScope(list, index)}>
              <OptionList options={fields} />
            </FormContext.Provider>
          )}
          <span className="list-field__tools">
            <NamesButton
              option={option.item}
              label={labels.itemLabel(label, index + 1)}
              onChoose={(name) => writer.write(labels.changed(label), (source) => setScalar(source, [...list.path, index], name))}
              custom={customRuleAt(index)}
            />
            {index === 0 ? null : (
              <button
                type="button"
                className="icon-button"
                aria-label={labels.itemUp(label, index + 1)}
                title={labels.itemUp(label, index + 1)}
                onClick={() => writer.write(labels.changed(label), (source) => moveItem(source, list.path, index, list.path, index - 1))}
              >
                <ArrowUp size={14} aria-hidden="true" />
              </button>
            )}
            <button
              type="button"
              className="icon-button"
              aria-label={labels.removeItem(label, index + 1)}
              title={labels.removeItem(label, index + 1)}
              onClick={() => writer.write(labels.changed(label), remove(index))}
            >
              <Trash2 size={14} aria-hidden="true" />
            </button>
          </span>
        </div>
      ))}
      <Button icon={<Plus size={16} aria-hidden="true" />} onClick={() => writer.write(labels.addItem(label), add)}>
        {labels.addItem(label)}
      </Button>
    </fieldset>
  );
}

function starterItem(fields: readonly OptionView[]): string {
  const lines = fields
    .filter(({ required, kind }) => required && kind !== "steps")
    .map((field) =>
      field.kind === "expression" && field.inline === true
        ? 'simple: "${body}"'
        : field.kind === "expression"
          ? `${field.name}:\n  simple: "\${body}"`
          : `${field.name}: ""`,
    );
  return lines.length === 0 ? "{}" : lines.join("\n");
}
