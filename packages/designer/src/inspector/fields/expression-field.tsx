import { useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { flushSync } from "react-dom";
import { treeAt, type OptionView } from "@sluice/model";
import { strings } from "../../strings.ts";
import { completed, namesIn, suggestionsAt, withSeen, type Completion, type Suggestions } from "../completions.ts";
import { changeLanguage, expressionPlace, removeExpression, textKeyOf, writeExpression } from "../expression-place.ts";
import { faultAt, FormContext, inner, useForm, type FormScope } from "../form-scope.ts";
import { nextGroup, useFormWriter } from "../use-form-writer.ts";
import { useLiveResult } from "../use-live-result.ts";
import { optionLabel } from "./option-label.ts";
import { OptionList } from "./option-list.tsx";
import { ResultLine } from "./result-line.tsx";
import { TypedInput } from "./typed-input.tsx";

const words = strings.inspector;

/** An expression: its language, its text with completions, and the options of the language. */
export function ExpressionField({ option }: { readonly option: OptionView }) {
  const scope = useForm();
  const writer = useFormWriter();
  const id = useId();
  const place = expressionPlace(scope, option);
  const named = option.name !== "expression";
  const label = optionLabel(option);
  const view = place.language === undefined ? undefined : scope.catalog.language(place.language);
  const error = place.language === undefined ? undefined : faultAt(scope, treeAt(scope.tree, [...place.holder, place.language]));
  return (
    <fieldset className="expression" aria-describedby={`${id}-doc`}>
      <legend className={named ? "field__label" : "visually-hidden"}>
        {label}
        {option.required ? <span className="option__required"> {words.required}</span> : null}
      </legend>
      <p className="field__hint" id={`${id}-doc`}>
        {option.doc}
      </p>
      <div className="field">
        <label className="field__label" htmlFor={`${id}-language`}>
          {named ? words.languageOf(label) : words.language}
        </label>
        <select
          id={`${id}-language`}
          className="input input--mono"
          value={place.language ?? ""}
          onChange={(event) => {
            const { value } = event.target;
            writer.write(words.changed(label), value === "" ? removeExpression(scope, option, place) : changeLanguage(scope, place, value));
          }}
        >
          {option.required && place.language !== undefined ? null : <option value="">{words.noExpression}</option>}
          {scope.catalog.view.languages.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      {place.language === undefined ? null : <ExpressionText option={option} label={named ? words.expressionOf(label) : words.expression} error={error} />}
      {view === undefined || view.options.length === 0 || place.language === undefined ? null : (
        <LanguageOptions scope={scope} path={[...place.holder, place.language]} textKey={textKeyOf(scope.catalog, place.language)} options={view.options} />
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
  const within = inner({ ...scope, path: path.slice(0, -1) }, last, textKey);
  return (
    <details className="fold">
      <summary>{words.languageOptions}</summary>
      <div className="fold__body">
        <FormContext.Provider value={within}>
          <OptionList options={options} />
        </FormContext.Provider>
      </div>
    </details>
  );
}

function ExpressionText({ option, label, error }: { readonly option: OptionView; readonly label: string; readonly error: string | undefined }) {
  const scope = useForm();
  const writer = useFormWriter();
  const id = useId();
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const place = expressionPlace(scope, option);
  const [open, setOpen] = useState<(Suggestions & { readonly active: number }) | undefined>(undefined);
  const headers = useMemo(() => scope.catalog.view.connectors.flatMap((connector) => connector.headers.map(({ name }) => name)), [scope.catalog]);
  const result = useLiveResult(scope, place);
  const suggest = (text: string, caret: number): void => {
    const found = place.language === "simple" ? suggestionsAt(text, caret, withSeen(namesIn(scope.tree, headers), result?.message)) : undefined;
    setOpen(found === undefined ? undefined : { ...found, active: 0 });
  };
  const take = (item: Completion | undefined): void => {
    const field = input.current;
    if (item === undefined || open === undefined || field === null) return;
    const next = completed(field.value, field.selectionStart ?? field.value.length, open.start, item);
    flushSync(() => {
      writer.typing(nextGroup(), words.changed(label), writeExpression(scope, place, next.text));
      setOpen(undefined);
    });
    field.setSelectionRange(next.caret, next.caret);
    if (item.text.endsWith(".")) suggest(next.text, next.caret);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (open === undefined) return;
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by !== 0) setOpen({ ...open, active: (open.active + by + open.items.length) % open.items.length });
    else if (event.key === "Enter" || event.key === "Tab") take(open.items[open.active]);
    else if (event.key === "Escape") setOpen(undefined);
    else return;
    event.preventDefault();
  };
  return (
    <div className="field completing">
      <label className="field__label" htmlFor={id}>
        {label}
      </label>
      <TypedInput
        control={{ id, "aria-describedby": error === undefined ? undefined : `${id}-error`, "aria-invalid": error === undefined ? undefined : true }}
        name="expression"
        label={label}
        value={place.text}
        mono
        lines={3}
        element={input}
        onCaret={suggest}
        onKeyDown={onKeyDown}
        write={(text) => writeExpression(scope, place, text)}
      />
      {open === undefined ? null : (
        <ul className="completions" role="listbox" aria-label={words.completions}>
          {open.items.map((item, index) => (
            <li
              key={item.text}
              role="option"
              aria-selected={index === open.active}
              onMouseDown={(event) => {
                event.preventDefault();
                take(item);
              }}
            >
              <span className="mono">{item.text}</span> <span className="muted">{item.doc}</span>
            </li>
          ))}
        </ul>
      )}
      {error === undefined ? null : (
        <div className="field__error" id={`${id}-error`}>
          {error}
        </div>
      )}
      {result === undefined || (error !== undefined && result.error !== undefined) ? null : <ResultLine label={label} {...result} />}
    </div>
  );
}
