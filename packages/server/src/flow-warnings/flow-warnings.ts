// Warnings about the text of a flow that a deployment does not report.
import { readTree, type Diagnostic } from "@sluice/model";
import type { ServerCatalog } from "../catalog.ts";
import { addressCautions } from "./address-cautions.ts";
import { bodyCautions } from "./body-cautions.ts";
import { secretsInFlow } from "./secrets-in-flow.ts";

/** The connectors of the flow must be loaded. */
export function flowWarnings(source: string, catalog: ServerCatalog): readonly Diagnostic[] {
  const { tree } = readTree(source);
  if (tree === undefined) return [];
  return [...secretsInFlow(tree, source, catalog), ...addressCautions(tree, catalog), ...bodyCautions(tree, catalog)];
}
