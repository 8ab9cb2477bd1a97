import { valueAt } from "../../controls/json-path.ts";
import { accessStrings as words } from "../../strings/access.ts";
import { ListField, NumberField, SelectField, Switch, usePolicyForm } from "./policy-fields.tsx";

const upper = (method: string): string => method.toUpperCase();

/** IP addresses, rate limits and CORS. */
export function LimitFields() {
  const { policy, set } = usePolicyForm();
  const cors = valueAt(policy, ["cors"]);
  return (
    <section className="panel" aria-label={words.limits}>
      <h2>{words.limits}</h2>
      <div className="policy__fields">
        <ListField path={["ip", "allow"]} label={words.ipAllow} hint={words.ipHint} />
        <ListField path={["ip", "deny"]} label={words.ipDeny} hint={words.ipHint} />
      </div>
      <Switch
        label={words.rateLimit}
        isOn={policy["rateLimit"] !== undefined}
        onSwitch={(isOn) => set(["rateLimit"], isOn ? { limit: 100, windowSec: 60, by: "principal" } : undefined)}
      >
        <div className="policy__fields">
          <NumberField path={["rateLimit", "limit"]} label={words.limit} />
          <NumberField path={["rateLimit", "windowSec"]} label={words.windowSec} />
          <SelectField path={["rateLimit", "by"]} label={words.by} choices={words.byChoices} absent="principal" />
        </div>
      </Switch>
      <Switch label={words.cors} isOn={cors !== undefined} onSwitch={(isOn) => set(["cors"], isOn ? { origins: [] } : undefined)}>
        <div className="policy__fields">
          <ListField path={["cors", "origins"]} label={words.origins} hint={words.originsHint} keepsEmpty />
          <ListField path={["cors", "methods"]} label={words.allowedMethods} each={upper} />
          <ListField path={["cors", "headers"]} label={words.allowedHeaders} />
          <ListField path={["cors", "exposeHeaders"]} label={words.exposeHeaders} />
          <NumberField path={["cors", "maxAgeSec"]} label={words.maxAgeSec} />
          <Switch
            label={words.credentialsAllowed}
            isOn={valueAt(policy, ["cors", "credentials"]) === true}
            onSwitch={(isOn) => set(["cors", "credentials"], isOn ? true : undefined)}
          />
        </div>
      </Switch>
    </section>
  );
}
