// Steps on the clipboard are YAML: a list of steps, one step, or complete routes.
import { insertItem, itemText, readTree } from "@sluice/model";
import { selectedSteps, type OpenFlow } from "../document/open-flow.ts";
import { inSequence, listItem, rangeYaml } from "../document/step-edits.ts";
import type { DocumentCommand } from "./command.ts";
import { withUniqueStepIds } from "./unique-ids.ts";
import { insertStepsAt, positionAfterSelection } from "./insert-step.ts";

/** The selected steps as YAML. */
export function selectionYaml(flow: OpenFlow): string | undefined {
  const steps = selectedSteps(flow);
  const [first] = steps;
  if (first === undefined) return undefined;
  return `${rangeYaml(flow.text, { listPath: first.listPath, first: first.index, count: steps.length }).map(listItem).join("\n")}\n`;
}

/** The command that pastes text; undefined when the text contains neither steps nor routes. */
export function pasteSteps(title: string, text: string): DocumentCommand | undefined {
  const { tree } = readTree(text);
  const list = tree?.type === "map" ? listItem(text.trimEnd()) : text;
  const items = tree?.type === "list" ? tree.items : tree?.type === "map" ? [tree] : [];
  const names = items.map((item) => (item.type === "map" && item.entries.length === 1 ? item.entries[0]?.key : undefined));
  if (names.length === 0 || names.includes(undefined)) return undefined;
  const yamls = items.map((_, index) => itemText(list, [], index) ?? "");
  if (!names.some((name) => name === "route" || name === "from")) return insertStepsAt(title, yamls, positionAfterSelection);
  return {
    name: "paste-routes",
    title,
    apply(flow) {
      const tree = flow.lastValid?.tree;
      const end = tree?.type === "list" ? tree.items.length : 0;
      const items = withUniqueStepIds(yamls, flow);
      return {
        edit: inSequence(
          flow.text,
          items.map((yaml, at) => (source: string) => insertItem(source, [], end + at, yaml)),
        ),
      };
    },
  };
}
