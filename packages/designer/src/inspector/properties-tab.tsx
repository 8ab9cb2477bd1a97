import { Trash2 } from "lucide-react";
import { removeOption, valueText, type OptionView, treeAt } from "@sluice/model";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import { branchesOf } from "../catalog/flow-catalog.ts";
import { Button } from "../controls/button.tsx";
import { isBroken, type OpenFlow } from "../document/open-flow.ts";
import type { Problem } from "../document/problem.ts";
import { strings } from "../strings.ts";
import { fieldKinds } from "./fields/field-kinds.ts";
import { OptionList } from "./fields/option-list.tsx";
import { FormContext, type FormScope } from "./form-scope.ts";
import type { FormSection, FormTarget } from "./form-target.ts";
import { asMap } from "./tree-values.ts";
import { useFormWriter } from "./use-form-writer.ts";

const text = strings.inspector;

export interface PropertiesTabProps {
  readonly flow: OpenFlow;
  readonly catalog: FlowCatalog | undefined;
  readonly target: FormTarget;
  readonly problems: readonly Problem[];
}

/** The form of the selection, generated from its declaration. */
export function PropertiesTab({ flow, catalog, target, problems }: PropertiesTabProps) {
  const tree = flow.lastValid?.tree;
  if (tree === undefined) return null;
  if (catalog === undefined) return <p className="muted">{text.noCatalog}</p>;
  const isKnown = target.sections.some(({ title }) => title !== text.about);
  return (
    <fieldset className="form" disabled={isBroken(flow)}>
      {isKnown ? null : <p className="muted">{text.unknownStep}</p>}
      {target.sections.map((section, index) => {
        const { path, shorthand, role } = section;
        const scope: FormScope = {
          fields: fieldKinds,
          catalog,
          tree,
          path,
          outermost: path.length,
          role,
          problems,
          shorthands: shorthand === undefined ? new Map() : new Map([[path.length, shorthand]]),
        };
        return (
          <FormContext.Provider value={scope} key={`${target.key}-${index}`}>
            <Section section={section}>
              <OptionList options={section.options} />
              {section.options.length === 0 && section.title === undefined ? <p className="muted">{text.noOptions}</p> : null}
            </Section>
          </FormContext.Provider>
        );
      })}
      {isKnown ? <OtherKeys flow={flow} target={target} catalog={catalog} /> : null}
    </fieldset>
  );
}

function Section({ section, children }: { readonly section: FormSection; readonly children: React.ReactNode }) {
  if (section.title === undefined) return <div className="form__section">{children}</div>;
  return (
    <section className="form__section form__section--titled">
      <h3>{section.title}</h3>
      {children}
    </section>
  );
}

/** Undeclared keys: they are listed and preserved, and can be removed. */
function OtherKeys({ flow, target, catalog }: { readonly flow: OpenFlow; readonly target: FormTarget; readonly catalog: FlowCatalog }) {
  const writer = useFormWriter();
  const rows = target.sections
    .filter(({ path }, index, all) => all.findIndex((other) => other.path.join("/") === path.join("/")) === index)
    .flatMap(({ path }) => {
      const declared = knownKeys(
        target.sections.filter((other) => other.path.join("/") === path.join("/")).flatMap(({ options }) => options),
        catalog,
      );
      return (asMap(treeAt(flow.lastValid?.tree, path))?.entries ?? []).filter(({ key }) => !declared.has(key)).map(({ key }) => ({ path, key }));
    });
  if (rows.length === 0) return null;
  return (
    <section className="form__section form__section--titled">
      <h3>{text.otherKeys}</h3>
      <p className="field__hint">{text.otherKeysHint}</p>
      {rows.map(({ path, key }) => (
        <div className="other-key" key={key}>
          <pre className="mono">
            {key}: {valueText(flow.lastValid?.text ?? "", [...path, key])?.slice(0, 200)}
          </pre>
          <Button
            variant="quiet"
            icon={<Trash2 size={16} aria-hidden="true" />}
            aria-label={text.removeKey(key)}
            title={text.removeKey(key)}
            onClick={() => writer.write(text.removeKey(key), (source) => removeOption(source, path, key))}
          />
        </div>
      ))}
    </section>
  );
}

function knownKeys(options: readonly OptionView[], catalog: FlowCatalog): ReadonlySet<string> {
  const keys = new Set([
    "steps",
    "from",
    "id",
    "description",
    "note",
    "disabled",
    "expression",
    ...options.map(({ name }) => name),
    ...branchesOf(options).map(({ option }) => option.name),
  ]);
  if (options.some(({ kind, inline }) => kind === "expression" && inline === true)) for (const { name } of catalog.view.languages) keys.add(name);
  if (options.some(({ kind }) => kind === "format")) for (const { name } of catalog.view.formats) keys.add(name);
  return keys;
}
