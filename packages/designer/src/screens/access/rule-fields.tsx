import { ArrowUp, Plus, Trash2 } from "lucide-react";
import { errorAt, listAt, type Policy } from "../../access/policy-edits.ts";
import { Button } from "../../controls/button.tsx";
import { Field } from "../../controls/field.tsx";
import { accessStrings as labels } from "../../strings/access.ts";
import { ListField, SelectField, usePolicyForm } from "./policy-fields.tsx";

type Who = keyof typeof labels.whoChoices;

const upper = (method: string): string => method.toUpperCase();

/** Rules: which callers may call which routes with which methods. */
export function RuleFields() {
  const { policy, set } = usePolicyForm();
  const rules = listAt(policy, ["rules"]) as readonly Policy[];
  return (
    <section className="panel" aria-label={labels.rules}>
      <h2>{labels.rules}</h2>
      <p className="muted">{labels.rulesText}</p>
      {rules.map((rule, index) => (
        <RuleItem key={`${rules.length} ${index}`} rule={rule} index={index} rules={rules} />
      ))}
      <div>
        <Button icon={<Plus size={16} aria-hidden="true" />} onClick={() => set(["rules"], [...rules, {}])}>
          {labels.addRule}
        </Button>
      </div>
      <div className="policy__fields">
        <SelectField path={["default"]} label={labels.otherwise} choices={labels.otherwiseChoices} />
      </div>
    </section>
  );
}

interface RuleItemProps {
  readonly rule: Policy;
  readonly index: number;
  readonly rules: readonly Policy[];
}

function RuleItem({ rule, index, rules }: RuleItemProps) {
  const { errors, set } = usePolicyForm();
  const path = ["rules", index];
  const who: Who = rule["public"] === true ? "public" : rule["roles"] === undefined ? "any" : "roles";
  const choose = (next: Who): void => {
    const { public: _public, roles: _roles, ...rest } = rule;
    set(path, next === "public" ? { ...rest, public: true } : next === "roles" ? { ...rest, roles: [] } : rest);
  };
  return (
    <fieldset className="policy__item">
      <legend>{labels.rule(index + 1)}</legend>
      <div className="policy__fields">
        <ListField path={[...path, "routes"]} label={labels.routes} hint={labels.routesHint} />
        <ListField path={[...path, "methods"]} label={labels.methods} hint={labels.methodsHint} transform={upper} />
        <Field label={labels.who} error={errorAt(errors, path)}>
          {(control) => (
            <select {...control} className="input" value={who} onChange={(event) => choose(event.target.value as Who)}>
              {Object.entries(labels.whoChoices).map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </Field>
        {who === "roles" ? <RolesField index={index} /> : null}
      </div>
      <div className="policy__tools">
        {index === 0 ? null : (
          <Button
            variant="quiet"
            icon={<ArrowUp size={16} aria-hidden="true" />}
            aria-label={labels.moveUp(index + 1)}
            onClick={() => set(["rules"], rules.with(index, rules[index - 1] as Policy).with(index - 1, rule))}
          />
        )}
        <Button
          variant="quiet"
          icon={<Trash2 size={16} aria-hidden="true" />}
          aria-label={labels.removeRule(index + 1)}
          onClick={() => set(["rules"], rules.toSpliced(index, 1))}
        />
      </div>
    </fieldset>
  );
}

/** An empty list must stay a list here: without one, the rule would allow every caller. */
function RolesField({ index }: { readonly index: number }) {
  return <ListField path={["rules", index, "roles"]} label={labels.roles} keepsEmpty />;
}
