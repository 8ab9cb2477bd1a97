import { Plus, Trash2 } from "lucide-react";
import { errorAt, listAt, newSchemes, schemeTypes, type Policy, type SchemeType } from "../../access/policy-edits.ts";
import { Button } from "../../controls/button.tsx";
import { accessStrings as labels } from "../../strings/access.ts";
import { usePolicyForm } from "./policy-fields.tsx";
import { SchemeFields } from "./scheme-fields.tsx";

/** The authentication schemes of a policy. */
export function CredentialFields() {
  const { policy, errors, set } = usePolicyForm();
  const schemes = listAt(policy, ["authenticate"]) as readonly Policy[];
  return (
    <section className="panel" aria-label={labels.credentials}>
      <h2>{labels.credentials}</h2>
      <p className="muted">{labels.credentialsText}</p>
      {schemes.map((scheme, index) => {
        const type = scheme["type"] as SchemeType;
        const error = errorAt(errors, ["authenticate", index]);
        return (
          <section key={`${schemes.length} ${index}`} className="policy__scheme" aria-label={`${labels.schemes[type]} ${index + 1}`}>
            <div className="screen__head">
              <h3>{labels.schemes[type]}</h3>
              <span className="grow" />
              <Button
                variant="quiet"
                icon={<Trash2 size={16} aria-hidden="true" />}
                aria-label={labels.removeScheme(`${labels.schemes[type]} ${index + 1}`)}
                onClick={() => set(["authenticate"], schemes.toSpliced(index, 1))}
              />
            </div>
            {error === undefined ? null : <p className="field__error">{error}</p>}
            <SchemeFields type={type} path={["authenticate", index]} />
          </section>
        );
      })}
      <div className="mapping__buttons">
        {schemeTypes.map((type) => (
          <Button key={type} icon={<Plus size={16} aria-hidden="true" />} onClick={() => set(["authenticate"], [...schemes, newSchemes[type]])}>
            {labels.add[type]}
          </Button>
        ))}
      </div>
    </section>
  );
}
