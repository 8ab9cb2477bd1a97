// Warns about addresses that are valid but mean something unexpected, as their connectors declare.
import { describe, schemeOf, type Diagnostic, type Field, type Tree } from "@sluice/model";
import type { ServerCatalog } from "../catalog.ts";
import { addressesIn } from "./addresses.ts";

export function addressCautions(tree: Tree, catalog: Pick<ServerCatalog, "steps" | "connectors">): readonly Diagnostic[] {
  return [...addressesIn(tree, catalog)].flatMap(({ text, span }) => {
    const [address = ""] = text.split("?");
    const path = address.slice(address.indexOf(":") + 1);
    return Object.values(catalog.connectors.get(schemeOf(text))?.path ?? {}).flatMap((field): readonly Diagnostic[] => {
      const message = describe(field as Field<unknown>).spec.caution?.(path);
      return message === undefined ? [] : [{ code: "option-caution", severity: "warning", message, path: "", span }];
    });
  });
}
