import { valueAt } from "../../controls/json-path.ts";
import { accessStrings as labels } from "../../strings/access.ts";
import { ListField, NumberField, SelectField, Switch, usePolicyForm } from "./policy-fields.tsx";

const upper = (method: string): string => method.toUpperCase();

/** IP addresses, rate limits and CORS. */
export function LimitFields() {
  const { policy, set } = usePolicyForm();
  const cors = valueAt(policy, ["cors"]);
  return (
    <section className="panel" aria-label={labels.limits}>
      <h2>{labels.limits}</h2>
      <div className="policy__fields">
        <ListField path={["ip", "allow"]} label={labels.ipAllow} hint={labels.ipHint} />
        <ListField path={["ip", "deny"]} label={labels.ipDeny} hint={labels.ipHint} />
      </div>
      <Switch
        label={labels.rateLimit}
        isOn={policy["rateLimit"] !== undefined}
        onSwitch={(isOn) => set(["rateLimit"], isOn ? { limit: 100, windowSec: 60, by: "principal" } : undefined)}
      >
        <div className="policy__fields">
          <NumberField path={["rateLimit", "limit"]} label={labels.limit} />
          <NumberField path={["rateLimit", "windowSec"]} label={labels.windowSec} />
          <SelectField path={["rateLimit", "by"]} label={labels.by} choices={labels.byChoices} absent="principal" />
        </div>
      </Switch>
      <Switch label={labels.cors} isOn={cors !== undefined} onSwitch={(isOn) => set(["cors"], isOn ? { origins: [] } : undefined)}>
        <div className="policy__fields">
          <ListField path={["cors", "origins"]} label={labels.origins} hint={labels.originsHint} keepsEmpty />
          <ListField path={["cors", "methods"]} label={labels.allowedMethods} transform={upper} />
          <ListField path={["cors", "headers"]} label={labels.allowedHeaders} />
          <ListField path={["cors", "exposeHeaders"]} label={labels.exposeHeaders} />
          <NumberField path={["cors", "maxAgeSec"]} label={labels.maxAgeSec} />
          <Switch
            label={labels.credentialsAllowed}
            isOn={valueAt(policy, ["cors", "credentials"]) === true}
            onSwitch={(isOn) => set(["cors", "credentials"], isOn ? true : undefined)}
          />
        </div>
      </Switch>
    </section>
  );
}
