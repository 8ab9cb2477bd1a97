// The options of a declaration as a form: required options first, then those that are set, the connection and a few common ones; the rest under "More".
import { useState } from "react";
import { treeAt, type OptionView } from "@sluice/model";
import { branchesOf } from "../../catalog/flow-catalog.ts";
import { strings } from "../../strings.ts";
import { locateExpression } from "../expression-location.ts";
import { useForm, valueAt, type FieldProps, type FormScope } from "../form-scope.ts";
import { asMap } from "../tree-values.ts";
import { optionLabel } from "./option-label.ts";

const text = strings.inspector;
/** If there are at most this many common options, all of them are visible. */
const maxVisibleCommon = 4;
const alwaysVisible: ReadonlySet<string> = new Set(["description", "id", "group"]);
/** A list of at least this length has a search field. */
const minOptionsForSearch = 8;

export interface OptionListProps {
  readonly options: readonly OptionView[];
}

export function OptionList({ options }: OptionListProps) {
  const scope = useForm();
  const branches = new Set(branchesOf(options).map(({ option }) => option.name));
  const shown = options.filter(({ kind, name }) => kind !== "steps" && !branches.has(name) && !isShownWithUri(options, name, kind));
  const required = shown.filter((option) => option.required);
  const rest = shown.filter((option) => !option.required);
  const [isMoreOpen, setMoreOpen] = useState(false);
  // Computed when the form opens: a field that moved while the user is typing would lose focus.
  const formKey = `${scope.path.join("/")} ${options.map(({ name }) => name).join(" ")}`;
  const [opened, setOpened] = useState({ formKey: "", names: new Set<string>() });
  const current = opened.formKey === formKey ? opened : { formKey, names: new Set(rest.filter((option) => isSet(scope, option)).map(({ name }) => name)) };
  if (current !== opened) setOpened(current);
  const set = rest.filter(({ name }) => current.names.has(name));
  const unset = rest.filter((option) => !set.includes(option));
  const common = unset.filter(({ group, kind }) => group === "common" && kind !== "object");
  const visible = unset.filter(
    (option) =>
      option.connection !== undefined ||
      (common.includes(option) && (common.length <= maxVisibleCommon || (option.kind === "string" && alwaysVisible.has(option.name)))),
  );
  const more = unset.filter((option) => !visible.includes(option));
  // No field in a closed list has focus, so an option that was set elsewhere, for example by a command, can move out of it.
  const added = isMoreOpen ? [] : more.filter((option) => isSet(scope, option));
  if (added.length > 0) setOpened({ formKey, names: new Set([...current.names, ...added.map(({ name }) => name)]) });
  return (
    <>
      {[...required, ...set, ...visible].map((option) => (
        <OptionField key={option.name} option={option} options={options} />
      ))}
      {more.length === 0 ? null : <More options={more} all={options} isOpen={isMoreOpen} onToggle={setMoreOpen} />}
    </>
  );
}

interface MoreProps {
  readonly options: readonly OptionView[];
  readonly all: readonly OptionView[];
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

function More({ options, all, isOpen, onToggle }: MoreProps) {
  const [query, setQuery] = useState("");
  const searchText = query.trim().toLowerCase();
  const matches = options.filter((option) => `${option.name} ${optionLabel(option)} ${option.doc}`.toLowerCase().includes(searchText));
  return (
    <details className="fold" open={isOpen} onToggle={(event) => onToggle(event.currentTarget.open)}>
      <summary>{text.more(options.length)}</summary>
      {isOpen ? (
        <div className="fold__body">
          {options.length < minOptionsForSearch ? null : (
            <input
              className="input"
              type="search"
              aria-label={text.moreSearch}
              placeholder={text.moreSearch}
              value={query}
              onChange={(event) => setQuery(event.target.value)}
            />
          )}
          {matches.map((option) => (
            <OptionField key={option.name} option={option} options={all} />
          ))}
        </div>
      ) : null}
    </details>
  );
}

function OptionField({ option, options }: FieldProps) {
  const { fields } = useForm();
  const Field = fields[option.kind] ?? fields.string;
  return Field === undefined ? null : <Field option={option} options={options} />;
}

/** The field of the URI also renders its parameters. */
const isShownWithUri = (options: readonly OptionView[], name: string, kind: string): boolean =>
  kind === "parameters" && name === "parameters" && options.some((option) => option.kind === "uri");

function isSet(scope: FormScope, option: OptionView): boolean {
  if (option.kind === "expression") return locateExpression(scope, option).language !== undefined;
  if (option.kind === "format") return asMap(treeAt(scope.tree, scope.path))?.entries.some(({ key }) => scope.catalog.format(key) !== undefined) === true;
  return valueAt(scope, option.name) !== undefined;
}
