import { useState } from "react";
import { verdictOf } from "../../access/policy-verdict.ts";
import { Field } from "../../controls/field.tsx";
import { accessStrings as words } from "../../strings/access.ts";
import { usePolicyForm } from "./policy-fields.tsx";

const methods = ["POST", "GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** Shows the decision of the rules for a sample call. */
export function SampleCall({ routes }: { readonly routes: readonly string[] }) {
  const { policy } = usePolicyForm();
  const [call, setCall] = useState({ route: routes[0] ?? "", method: "POST", roles: "", hasCredentials: false });
  const { rule, outcome } = verdictOf(policy, { ...call, roles: call.roles.split(",").map((role) => role.trim()) });
  const isRefused = outcome === "forbidden" || outcome === "unauthorized";
  return (
    <section className="panel" aria-label={words.sample}>
      <h2>{words.sample}</h2>
      <p className="muted">{words.sampleText}</p>
      <div className="policy__fields">
        <Field label={words.sampleRoute}>
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
        <Field label={words.sampleMethod}>
          {(control) => (
            <select {...control} className="input" value={call.method} onChange={(event) => setCall({ ...call, method: event.target.value })}>
              {methods.map((method) => (
                <option key={method}>{method}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label={words.sampleRoles} hint={words.listHint}>
          {(control) => <input {...control} className="input" value={call.roles} onChange={(event) => setCall({ ...call, roles: event.target.value })} />}
        </Field>
      </div>
      <label className="choice">
        <input type="checkbox" checked={call.hasCredentials} onChange={(event) => setCall({ ...call, hasCredentials: event.target.checked })} />
        {words.sampleSignedIn}
      </label>
      <p role="status" className={isRefused ? "problem-text" : "policy__allowed"}>
        {words.sampleRule(rule)}: {words.outcomes[outcome]}.
      </p>
    </section>
  );
}
