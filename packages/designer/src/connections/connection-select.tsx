import { Link } from "wouter";
import type { ConnectionSummary } from "@sluice/client";
import type { OptionView } from "@sluice/model";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import type { FieldControl } from "../controls/field.tsx";
import { connectionStrings as labels } from "../strings/connections.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";
import { nameIn } from "./browsed-connection.ts";
import { useConnections } from "./use-connections.ts";

export interface ConnectionSelectProps {
  readonly option: OptionView;
  readonly control: FieldControl;
  readonly value: string | undefined;
  readonly catalog: FlowCatalog;
  /** Beans of the flow that describe a connection. */
  readonly beans: readonly string[];
  choose(reference: string): void;
}

/** The connections that an option can name, with the state of the selected one. */
export function ConnectionSelect({ option, control, value, catalog, beans, choose }: ConnectionSelectProps) {
  const target = useWorkspace((state) => state.target);
  const [polled] = useConnections();
  const connections = polled !== undefined && "value" in polled ? polled.value : [];
  const types = catalog.view.connections.filter(({ kinds }) => kinds.some((kind) => option.connection?.includes(kind)));
  const matching = connections.filter((connection) => types.some(({ type }) => type === connection.type));
  const name = value === undefined ? "" : nameIn(value);
  const selected = matching.find(({ id }) => id === name);
  const isListed = name === "" || selected !== undefined || beans.includes(name);
  return (
    <>
      <select
        {...control}
        data-field={option.name}
        className="input"
        value={isListed ? name : (value ?? "")}
        onChange={({ target: { value: next } }) => choose(next === "" ? "" : `#${nameIn(next)}`)}
      >
        <option value="">{labels.picker.only}</option>
        {isListed ? null : <option value={value}>{value}</option>}
        {beans.length === 0 ? null : (
          <optgroup label={labels.picker.ofFlow}>
            {beans.map((bean) => (
              <option key={bean}>{bean}</option>
            ))}
          </optgroup>
        )}
        {matching.length === 0 ? null : (
          <optgroup label={labels.picker.ofTarget(target ?? "")}>
            {matching.map((connection) => (
              <option key={connection.id} value={connection.id}>
                {shownName(connection, types)}
              </option>
            ))}
          </optgroup>
        )}
      </select>
      {selected?.state === "down" ? <div className="field__error">{labels.picker.down(selected.problem ?? "")}</div> : null}
      <div className="connection-select__links">
        {selected === undefined ? null : <Link href={`/connections/${encodeURIComponent(selected.id)}`}>{labels.picker.open}</Link>}
        <Link href="/connections/new">{labels.picker.create}</Link>
      </div>
    </>
  );
}

function shownName({ id, title, type, state }: ConnectionSummary, types: FlowCatalog["view"]["connections"]): string {
  const kind = types.find((candidate) => candidate.type === type)?.title ?? type;
  return `${title === null ? id : `${title} (${id})`}, ${kind}${state === "down" ? `, ${labels.states.down}` : ""}`;
}
