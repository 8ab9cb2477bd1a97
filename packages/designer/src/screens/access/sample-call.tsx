import { useState } from "react";
import { decideAccess } from "../../access/policy-decision.ts";
import { Field } from "../../controls/field.tsx";
import { accessStrings as labels } from "../../strings/access.ts";
import { usePolicyForm } from "./policy-fields.tsx";

const methods = ["POST", "GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** Shows the decision of the rules for a sample call. */
export function SampleCall({ routes }: { readonly routes: readonly string[] }) {
  const { policy } = usePolicyForm();
  const [call, setCall] = useState({ route: routes[0] ?? "", method: "POST", roles: "", hasCredentials: false });
  const { rule, outcome } = decideAccess(policy, { ...call, roles: call.roles.split(",").map((role) => role.trim()) });
  const isRejected = outcome === "forbidden" || outcome === "unauthorized";
  return (
    <section className="panel" aria-label={labels.sample}>
      <h2>{labels.sample}</h2>
      <p className="muted">{labels.sampleText}</p>
      <div className="policy__fields">
        <Field label={labels.sampleRoute}>
          {(control) => (
            <input
              {...control}
              className="input"
              list="policy-routes"
              value={call.route}
              onChange={(event) => setCall({ ...call, route: event.target.value })}
            />
          )}
        </Field>
        <datalist id="policy-routes">
          {routes.map((route) => (
            <option key={route} value={route} />
          ))}
        </datalist>
        <Field label={labels.sampleMethod}>
          {(control) => (
            <select {...control} className="input" value={call.method} onChange={(event) => setCall({ ...call, method: event.target.value })}>
              {methods.map((method) => (
                <option key={method}>{method}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label={labels.sampleRoles} hint={labels.listHint}>
          {(control) => <input {...control} className="input" value={call.roles} onChange={(event) => setCall({ ...call, roles: event.target.value })} />}
        </Field>
      </div>
      <label className="choice">
        <input type="checkbox" checked={call.hasCredentials} onChange={(event) => setCall({ ...call, hasCredentials: event.target.checked })} />
        {labels.sampleSignedIn}
      </label>
      <p role="status" className={isRejected ? "problem-text" : "policy__allowed"}>
        {labels.sampleRule(rule)}: {labels.outcomes[outcome]}.
      </p>
    </section>
  );
}
