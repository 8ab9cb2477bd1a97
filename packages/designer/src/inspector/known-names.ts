// The names that an option can refer to, by kind of object.
import type { NameKind, RouteOutline } from "@sluice/model";
import { workspaceClient } from "../api-client/workspace-client.ts";
import type { MappingKind } from "../api-client/runtime-client.ts";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import { installedMappings } from "../mappings/installed-mappings.ts";

export interface KnownName {
  readonly name: string;
  readonly title: string;
  /** True for a name that does not exist yet: choosing it creates it. */
  readonly isNew?: boolean;
}

interface NameContext {
  readonly catalog: FlowCatalog;
  readonly routes: readonly RouteOutline[];
  /** The scheme of the endpoint; routes are called through triggers of the same scheme. */
  readonly scheme: string | undefined;
  readonly target: string | undefined;
}

const mappingKinds: Partial<Readonly<Record<NameKind, MappingKind>>> = {
  "mapping-document": "message-mappings",
  "mapping-table": "value-mappings",
};

export async function knownNames(kind: NameKind, { catalog, routes, scheme, target }: NameContext): Promise<readonly KnownName[]> {
  if (kind === "exception") return (catalog.view.exceptions ?? []).map((name) => ({ name, title: shortName(name) })).toSorted(byTitle);
  if (kind === "aggregation-strategy")
    return catalog.view.beans.filter((bean) => bean.kind === kind).map(({ names: [name = ""], title }) => ({ name: `#class:${name}`, title }));
  if (kind === "route") {
    return routes
      .filter(({ from }) => scheme !== undefined && from.uri.startsWith(`${scheme}:`))
      .map(({ from, id, description }) => ({ name: from.uri.slice(from.uri.indexOf(":") + 1).split("?")[0] ?? "", title: description ?? id }));
  }
  const mappings = mappingKinds[kind];
  return mappings === undefined ? [] : mappingNames(mappings, target);
}

/** The names from the runtime, if it responds, and from the workspace. */
async function mappingNames(kind: MappingKind, target: string | undefined): Promise<readonly KnownName[]> {
  const [lists, files] = await Promise.all([installedMappings(target), workspaceClient.documents(kind).catch(() => [])]);
  const installed = "error" in lists ? [] : kind === "value-mappings" ? lists.tables : lists.documents;
  const names = new Map([...files.map(({ id }) => [id, id] as const), ...installed.map(({ id, name }) => [id, name ?? id] as const)]);
  return [...names].map(([name, title]) => ({ name, title })).toSorted(byTitle);
}

const byTitle = (left: KnownName, right: KnownName): number => left.title.localeCompare(right.title);

/** `java.net.ConnectException` as `Connect`. */
const shortName = (type: string): string =>
  type
    .slice(type.lastIndexOf(".") + 1)
    .replace(/(?<=.)Exception$/, "")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2");
