import { insertItem } from "@sluice/model";
import type { DocumentCommand } from "./command.ts";
import { withUniqueIds } from "./unique-ids.ts";

/** A command that adds a route or another top-level element: elements that must precede routes go before the first route, others to the end. */
export function addElement(title: string, yaml: string, beforeRoutes: boolean): DocumentCommand {
  return {
    name: "add-element",
    title,
    apply(flow) {
      const tree = flow.lastValid?.tree;
      const first = flow.lastValid?.outline.routes[0]?.path[0];
      const end = tree?.type === "list" ? tree.items.length : 0;
      const index = beforeRoutes && typeof first === "number" ? first : end;
      const name = /^[\w-]+/.exec(yaml)?.[0] ?? "";
      return { edit: insertItem(flow.text, [], index, withUniqueIds(yaml, flow)), select: name === "route" ? [index, "route", "from"] : [index] };
    },
  };
}
