// From a step that sends to `direct:name` to the route that answers there, and back; the route is made when there is none.
import { insertItem, scalarYaml, type Path } from "@sluice/model";
import { firstSteps } from "../catalog/starter-yaml.ts";
import { everyStep, pathKey } from "../document/outline.ts";
import { selectedStep, type OpenFlow } from "../document/open-flow.ts";
import type { DocumentCommand } from "./command.ts";

const inMemory = /^(?:direct|seda):[^?]+/;

/** Where the other end of the selected `direct:` or `seda:` address is in this flow. */
export function partnerOf(flow: OpenFlow): Path | undefined {
  const routes = flow.good?.outline.routes ?? [];
  const address = selectedAddress(flow);
  if (address === undefined) return undefined;
  if (address.isStep) return routes.find((route) => bare(route.from.uri) === address.uri)?.from.path;
  for (const route of routes) for (const step of everyStep(route.steps)) if (bare(step.detail) === address.uri) return step.path;
  return undefined;
}

/** Makes the route that a selected `direct:` step sends to. */
export const createPartner: DocumentCommand = {
  name: "create-partner",
  title: "Create the route this step sends to",
  apply(flow) {
    const address = selectedAddress(flow);
    const tree = flow.good?.tree;
    if (address === undefined || !address.isStep || tree?.type !== "list" || partnerOf(flow) !== undefined) return undefined;
    const id = address.uri.replace(/^\w+:/, "");
    const index = tree.items.length;
    const yaml = [`route:`, `  id: ${scalarYaml(id)}`, `  from:`, `    uri: ${scalarYaml(address.uri)}`, ...firstSteps.map((line) => `    ${line}`)].join("\n");
    return { edit: insertItem(flow.text, [], index, yaml), select: [index, "route", "from"] };
  },
};

function selectedAddress(flow: OpenFlow): { readonly uri: string; readonly isStep: boolean } | undefined {
  const step = selectedStep(flow);
  const key = flow.selection === undefined ? "" : pathKey(flow.selection);
  const text = step?.detail ?? flow.good?.outline.routes.find((route) => pathKey(route.from.path) === key)?.from.uri;
  const uri = text === undefined ? undefined : bare(text);
  return uri === undefined ? undefined : { uri, isStep: step !== undefined };
}

const bare = (uri: string): string | undefined => inMemory.exec(uri)?.[0];
