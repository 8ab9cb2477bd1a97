// A filter with a misspelled name finds nothing: that is an error, not an empty list.
import { closest } from "@sluice/model";
import { CommandError, textFlag, type Values } from "../command/declaration.ts";
import type { Connection } from "./connection.ts";

/** Throws if --flow or --route names something that the runtime does not have. */
export async function assertKnownNames(connection: Connection, flags: Values): Promise<void> {
  const [flow, route] = [textFlag(flags, "flow"), textFlag(flags, "route")];
  if (flow === undefined && route === undefined) return;
  const { flows } = await connection.call("GET /flows");
  const flowIds = flows.map(({ id }) => id);
  if (flow !== undefined && !flowIds.includes(flow)) throw unknownName("flow", flow, flowIds);
  const routeIds = flows.flatMap(({ routes }) => routes.map(({ id }) => id));
  if (route !== undefined && !routeIds.includes(route)) throw unknownName("route", route, routeIds);
}

export function unknownName(kind: "flow" | "route", name: string, known: readonly string[]): CommandError {
  const suggestion = closest(name, known);
  return new CommandError(
    `${kind} '${name}' not found${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}: \`sluice ${kind}s\` lists the ${kind}s`,
  );
}
