// Navigates between a step that calls another route, such as `direct:name`, and that route; creates the route if it is missing.
import { everyStep, insertItem, type Path, pathKey, scalarYaml } from "@sluice/model";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import { firstSteps } from "../catalog/starter-yaml.ts";
import { selectedStep, type OpenFlow } from "../document/open-flow.ts";
import type { DocumentCommand } from "./command.ts";

/** The endpoint in this flow that the selected endpoint, such as `direct:name`, sends to or receives from. */
export function linkedEndpoint(flow: OpenFlow, catalog: FlowCatalog | undefined): Path | undefined {
  const routes = flow.lastValid?.outline.routes ?? [];
  const address = selectedAddress(flow, catalog);
  if (address === undefined) return undefined;
  if (address.isStep) return routes.find((route) => withoutOptions(route.from.uri) === address.uri)?.from.path;
  for (const route of routes) for (const step of everyStep(route.steps)) if (withoutOptions(step.detail) === address.uri) return step.path;
  return undefined;
}

/** Creates the route that a selected step sends to. */
export const createLinkedRoute = (catalog: FlowCatalog | undefined): DocumentCommand => ({
  name: "create-linked-route",
  title: "Create the route this step sends to",
  apply(flow) {
    const address = selectedAddress(flow, catalog);
    const tree = flow.lastValid?.tree;
    if (address === undefined || !address.isStep || tree?.type !== "list" || linkedEndpoint(flow, catalog) !== undefined) return undefined;
    const id = address.uri.replace(/^[^:]+:/, "");
    const index = tree.items.length;
    const yaml = [`route:`, `  id: ${scalarYaml(id)}`, `  from:`, `    uri: ${scalarYaml(address.uri)}`, ...firstSteps.map((line) => `    ${line}`)].join("\n");
    return { edit: insertItem(flow.text, [], index, yaml), select: [index, "route", "from"] };
  },
});

function selectedAddress(flow: OpenFlow, catalog: FlowCatalog | undefined): { readonly uri: string; readonly isStep: boolean } | undefined {
  const step = selectedStep(flow);
  const key = flow.selection === undefined ? "" : pathKey(flow.selection);
  const text = step?.detail ?? flow.lastValid?.outline.routes.find((route) => pathKey(route.from.path) === key)?.from.uri;
  const uri = text === undefined ? undefined : withoutOptions(text);
  return uri === undefined || catalog?.isRouteCall(uri) !== true ? undefined : { uri, isStep: step !== undefined };
}

/** A URI without its options; undefined for an invalid URI. */
const withoutOptions = (uri: string): string | undefined => /^[\w+.-]+:[^?]+/.exec(uri)?.[0];
