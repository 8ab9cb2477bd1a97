// Checks a flow as a deploy would, without a runtime around it: for tools that look at files.
import { createRuntime, type Host, type Prepared } from "@sluice/engine";
import { createCatalog } from "./catalog.ts";
import { systemClock } from "./host/clock.ts";

export { staysInside } from "@sluice/connectors";
export type { Prepared };

export interface FlowText {
  /** The flow's id: routes without one are called after it. */
  readonly id: string;
  readonly source: string;
  /** The value of a `{{name}}`. */
  property(name: string): string | undefined;
}

/** Reads, checks and compiles flows; nothing is started and nothing is remembered between two flows. */
export function createFlowChecker(): (flow: FlowText) => Prepared {
  const host: Host = {
    clock: systemClock,
    log: { enabled: () => false, write: () => undefined },
    ids: { next: () => "0" },
    http: { mount: () => () => undefined },
    lookup: { find: () => null },
    globals: new Map(),
    random: () => 0,
    environment: () => undefined,
  };
  const ignore = (): void => undefined;
  const listener = { started: ignore, ended: ignore, retrying: ignore, routeChanged: ignore };
  const catalog = createCatalog();
  return ({ id, source, property }) => createRuntime({ catalog, host, listener }).prepare({ id, hash: "0".repeat(64), source, property });
}
