import { Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { renameKey, treeAt } from "@sluice/model";
import { Button } from "../../controls/button.tsx";
import { strings } from "../../strings.ts";
import { FormContext, nestedScope, removeValue, useForm, writeText, type FieldProps } from "../form-scope.ts";
import { asMap, textOf } from "../tree-values.ts";
import { useFormWriter } from "../use-form-writer.ts";
import { TypedInput } from "./typed-input.tsx";

const labels = strings.inspector;

/** An option that is a mapping of names and values. */
export function ParametersOption({ option }: FieldProps) {
  const scope = useForm();
  return (
    <FormContext.Provider value={nestedScope(scope, option.name)}>
      <ParametersField declared={noDeclaredNames} />
    </FormContext.Provider>
  );
}

const noDeclaredNames: ReadonlySet<string> = new Set();

/** A table of undeclared names and values. The path of the form scope is the mapping that contains them. */
export function ParametersField({ declared }: { readonly declared: ReadonlySet<string> }) {
  const scope = useForm();
  const writer = useFormWriter();
  const id = useId();
  const [name, setName] = useState("");
  const entries = (asMap(treeAt(scope.tree, scope.path))?.entries ?? []).filter(({ key, value }) => !declared.has(key) && value.type === "scalar");
  const isNameInvalid = name.trim() === "" || asMap(treeAt(scope.tree, scope.path))?.entries.some(({ key }) => key === name.trim()) === true;
  return (
    <fieldset className="parameters">
      <legend className="field__label">{labels.parameters}</legend>
      {entries.map(({ key, value }) => (
        <div className="parameters__row" key={key}>
          <input
            className="input input--mono"
            aria-label={`${labels.parameterName} ${key}`}
            defaultValue={key}
            onBlur={(event) => {
              const next = event.target.value.trim();
              if (next !== "" && next !== key) writer.write(labels.changed(key), (source) => renameKey(source, scope.path, key, next));
            }}
          />
          <TypedInput
            control={{ id: `${id}-${key}`, "aria-describedby": undefined, "aria-invalid": undefined, ...{ "aria-label": `${labels.parameterValue} ${key}` } }}
            name={key}
            label={key}
            value={textOf(value) ?? ""}
            mono
            write={(text) => writeText(scope, key, text)}
          />
          <Button
            variant="quiet"
            icon={<Trash2 size={16} aria-hidden="true" />}
            aria-label={labels.removeParameter(key)}
            title={labels.removeParameter(key)}
            onClick={() => writer.write(labels.removeParameter(key), removeValue(scope, key))}
          />
        </div>
      ))}
      <div className="parameters__row parameters__row--new">
        <input
          className="input input--mono"
          aria-label={labels.parameterName}
          placeholder={labels.parameterName}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button
          disabled={isNameInvalid}
          onClick={() => {
            if (writer.write(labels.addParameter, writeText(scope, name.trim(), ""))) setName("");
          }}
        >
          {labels.addParameter}
        </Button>
      </div>
    </fieldset>
  );
}
