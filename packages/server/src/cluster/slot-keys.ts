// The key of a route determines its slot, and so its node: the name in `master:`, or the id of the flow.
import type { Deployment, Route } from "@sluice/engine";

/** The name of a route that starts with `master:<name>:…`. */
export const masterOf = ({ placement }: Route): string | undefined => placement.tiedBy.find(({ master }) => master !== undefined)?.master;

/** The names of all `master:` routes of a flow, each once. */
export const mastersOf = ({ routes }: Deployment): readonly string[] => [...new Set(routes.flatMap((route) => masterOf(route) ?? []))];

const keyOfName = (name: string): string => `master/${name}`;

/** The key of a route. If a flow has one `master:` name, that name is the key of all its routes, because the whole flow may have to run on one node. */
export function slotKeyOf(deployment: Deployment, route: Route): string {
  const masterName = masterOf(route);
  if (masterName !== undefined) return keyOfName(masterName);
  const [name, ...others] = mastersOf(deployment);
  return name === undefined || others.length > 0 ? deployment.id : keyOfName(name);
}
