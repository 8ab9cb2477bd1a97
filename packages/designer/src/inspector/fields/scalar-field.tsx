import { Braces, ListChecks } from "lucide-react";
import { useRef, useState } from "react";
import type { OptionView } from "@sluice/model";
import { withName } from "../../connections/browsed-connection.ts";
import { ConnectionSelect } from "../../connections/connection-select.tsx";
import type { FieldControl } from "../../controls/field.tsx";
import { strings } from "../../strings.ts";
import { useStepMessage } from "../../trial/step-message.tsx";
import { connectionBeans } from "../connection-beans.ts";
import { problemAt, removeValue, textAt, useForm, valueAt, writeText, type FieldProps } from "../form-scope.ts";
import { customRule } from "../custom-rule.ts";
import { useFormWriter } from "../use-form-writer.ts";
import { BrowseButton } from "./browse-button.tsx";
import { CompletingInput } from "./completing-input.tsx";
import { NamesButton } from "./names-button.tsx";
import { OptionFrame } from "./option-frame.tsx";
import { formatDefault, optionLabel } from "./option-label.ts";

const labels = strings.inspector;
const multilineOptions: ReadonlySet<string> = new Set(["message", "note"]);

/** One value: text, number, duration, a switch, a choice or a connection. Every input also accepts text, because a value may be a placeholder. */
export function ScalarField({ option, options }: FieldProps) {
  const scope = useForm();
  const writer = useFormWriter();
  const value = textAt(scope, option.name);
  const label = optionLabel(option);
  const choices = option.kind === "boolean" ? ["true", "false"] : option.kind === "enum" ? (option.values ?? []) : undefined;
  const hasChoices = choices !== undefined || option.connection !== undefined;
  const isSelectable = value === undefined || (choices === undefined ? !/\{\{|\$\{/.test(value) : choices.some((choice) => isSameChoice(choice, value)));
  const [asText, setAsText] = useState(false);
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const remove = (): boolean => writer.write(labels.changed(label), removeValue(scope, option.name));
  const isSet = value !== undefined;
  const frame = { option, isSet, error: problemAt(scope, valueAt(scope, option.name)), onReset: isSet ? remove : undefined };
  const choose = (text: string): boolean => (text === "" ? remove() : writer.write(labels.changed(label), writeText(scope, option.name, text)));
  const { before } = useStepMessage();
  if (!hasChoices || asText || !isSelectable) {
    const insert = (name: string): boolean => choose(option.browse?.within === true ? withName(value ?? "", input.current?.selectionStart ?? 0, name) : name);
    const custom = customRule(scope, option, options, [...scope.path, option.name]);
    const extra = hasChoices ? (
      <ModeButton label={label} toText={false} disabled={!isSelectable} onClick={() => setAsText(false)} />
    ) : (
      <>
        <BrowseButton option={option} onChoose={insert} />
        <NamesButton
          option={option}
          onChoose={choose}
          custom={custom && { title: custom.title, create: () => writer.write(labels.changed(label), custom.write) }}
        />
      </>
    );
    return (
      <OptionFrame {...frame} extra={extra}>
        {(control) => (
          <CompletingInput
            element={input}
            language="simple"
            message={before}
            control={control}
            name={option.name}
            label={label}
            value={value}
            placeholder={formatDefault(option) ?? exampleOf(option)}
            mono={option.kind !== "string"}
            secret={option.secret}
            numeric={option.kind === "integer" || option.kind === "number"}
            lines={multilineOptions.has(option.name) ? 3 : 1}
            write={(text) => writeText(scope, option.name, text)}
            {...(option.required ? {} : { remove: () => removeValue(scope, option.name) })}
          />
        )}
      </OptionFrame>
    );
  }
  const extra = <ModeButton label={label} toText disabled={false} onClick={() => setAsText(true)} />;
  if (choices === undefined) {
    return (
      <OptionFrame {...frame} extra={extra}>
        {(control) => (
          <ConnectionSelect
            option={option}
            control={control}
            value={value}
            catalog={scope.catalog}
            beans={connectionBeans(scope.tree, option, scope.catalog)}
            choose={choose}
          />
        )}
      </OptionFrame>
    );
  }
  if (option.kind === "boolean") {
    return (
      <OptionFrame {...frame} extra={extra} beside>
        {(control) => (
          <Switch
            control={control}
            name={option.name}
            checked={(value ?? String(option.default ?? false)).toLowerCase() === "true"}
            onChange={(checked) => choose(checked === (option.default ?? false) && !option.required ? "" : String(checked))}
          />
        )}
      </OptionFrame>
    );
  }
  const defaultValue = formatDefault(option);
  return (
    <OptionFrame {...frame} extra={extra}>
      {(control) => (
        <select
          {...control}
          data-field={option.name}
          className="input"
          value={choices.find((choice) => value !== undefined && isSameChoice(choice, value)) ?? ""}
          onChange={(event) => choose(event.target.value)}
        >
          <option value="">{defaultValue === undefined ? labels.notSet : labels.notSetDefault(defaultValue)}</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      )}
    </OptionFrame>
  );
}

interface SwitchProps {
  readonly control: FieldControl;
  readonly name: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

function Switch({ control, name, checked, onChange }: SwitchProps) {
  return <input {...control} data-field={name} type="checkbox" className="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />;
}

function ModeButton({
  label,
  toText,
  disabled,
  onClick,
}: {
  readonly label: string;
  readonly toText: boolean;
  readonly disabled: boolean;
  readonly onClick: () => void;
}) {
  const modeLabel = toText ? labels.asText(label) : labels.asChoice(label);
  return (
    <button type="button" className="icon-button option__mode" aria-label={modeLabel} title={modeLabel} disabled={disabled} onClick={onClick}>
      {toText ? <Braces size={14} aria-hidden="true" /> : <ListChecks size={14} aria-hidden="true" />}
    </button>
  );
}

/** Enum values are compared ignoring case, dashes and underscores. */
const isSameChoice = (left: string, right: string): boolean => normalize(left) === normalize(right);
const normalize = (text: string): string => text.replaceAll(/[-_]/g, "").toLowerCase();

function exampleOf({ examples }: OptionView): string | undefined {
  const first = examples?.[0];
  return typeof first === "string" || typeof first === "number" ? String(first) : undefined;
}
