import { useId } from "react";
import { treeAt, type OptionView } from "@sluice/model";
import { useEditorState } from "../../editor/editor-context.ts";
import { strings } from "../../strings.ts";
import { useStepMessage } from "../../trial/step-message.tsx";
import { changeLanguage, locateExpression, removeExpression, textKeyOf, writeExpression } from "../expression-location.ts";
import { problemAt, FormContext, nestedScope, useForm, type FormScope } from "../form-scope.ts";
import { useFormWriter } from "../use-form-writer.ts";
import { useLiveResult } from "../use-live-result.ts";
import { CompletingInput } from "./completing-input.tsx";
import { optionLabel } from "./option-label.ts";
import { OptionList } from "./option-list.tsx";
import { ResultLine } from "./result-line.tsx";
import { DocText } from "../../controls/doc-text.tsx";

const labels = strings.inspector;

/** An expression: its language, its text with completions, and the options of the language. */
export function ExpressionField({ option }: { readonly option: OptionView }) {
  const scope = useForm();
  const writer = useFormWriter();
  const id = useId();
  const location = locateExpression(scope, option);
  const hasOwnName = option.name !== "expression";
  const label = optionLabel(option);
  const view = location.language === undefined ? undefined : scope.catalog.language(location.language);
  const error = location.language === undefined ? undefined : problemAt(scope, treeAt(scope.tree, [...location.mappingPath, location.language]));
  return (
    <fieldset className="expression" aria-describedby={`${id}-doc`}>
      <legend className={hasOwnName ? "field__label" : "visually-hidden"}>
        {label}
        {option.required ? <span className="option__required"> {labels.required}</span> : null}
      </legend>
      <p className="field__hint" id={`${id}-doc`}>
        <DocText text={option.doc} />
      </p>
      <div className="field">
        <label className="field__label" htmlFor={`${id}-language`}>
          {hasOwnName ? labels.languageOf(label) : labels.language}
        </label>
        <select
          id={`${id}-language`}
          className="input input--mono"
          value={location.language ?? ""}
          onChange={(event) => {
            const { value } = event.target;
            writer.write(labels.changed(label), value === "" ? removeExpression(scope, option, location) : changeLanguage(scope, location, value));
          }}
        >
          {option.required && location.language !== undefined ? null : <option value="">{labels.noExpression}</option>}
          {scope.catalog.view.languages.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      {location.language === undefined ? null : (
        <ExpressionText option={option} label={hasOwnName ? labels.expressionOf(label) : labels.expression} error={error} />
      )}
      {view === undefined || view.options.length === 0 || location.language === undefined ? null : (
        <LanguageOptions
          scope={scope}
          path={[...location.mappingPath, location.language]}
          textKey={textKeyOf(scope.catalog, location.language)}
          options={view.options}
        />
      )}
    </fieldset>
  );
}

function LanguageOptions({
  scope,
  path,
  textKey,
  options,
}: {
  readonly scope: FormScope;
  readonly path: FormScope["path"];
  readonly textKey: string;
  readonly options: readonly OptionView[];
}) {
  const last = path.at(-1) as string;
  const nested = nestedScope({ ...scope, path: path.slice(0, -1) }, last, textKey);
  return (
    <details className="fold">
      <summary>{labels.languageOptions}</summary>
      <div className="fold__body">
        <FormContext.Provider value={nested}>
          <OptionList options={options} />
        </FormContext.Provider>
      </div>
    </details>
  );
}

function ExpressionText({ option, label, error: reported }: { readonly option: OptionView; readonly label: string; readonly error: string | undefined }) {
  const scope = useForm();
  const id = useId();
  const location = locateExpression(scope, option);
  const result = useLiveResult(scope, location);
  // The result arrives before the flow has been checked. Until the check, the reported error is about the previous text and is hidden.
  const isChecked = useEditorState(({ flow, checkedText }) => checkedText === flow.text);
  const error = isChecked || result === undefined ? reported : undefined;
  const { before } = useStepMessage();
  return (
    <div className="field">
      <label className="field__label" htmlFor={id}>
        {label}
      </label>
      <CompletingInput
        control={{ id, "aria-describedby": error === undefined ? undefined : `${id}-error`, "aria-invalid": error === undefined ? undefined : true }}
        name="expression"
        label={label}
        value={location.text}
        mono
        lines={3}
        language={location.language ?? "simple"}
        message={result?.message ?? before}
        write={(text) => writeExpression(scope, location, text)}
      />
      <div className="expression__outcome">
        {error !== undefined ? (
          <div className="field__error" id={`${id}-error`} title={error}>
            {error}
          </div>
        ) : result === undefined ? null : (
          <ResultLine label={label} {...result} />
        )}
      </div>
    </div>
  );
}
