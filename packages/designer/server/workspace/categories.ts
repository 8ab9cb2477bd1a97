import { readTree, type Tree } from "@sluice/model";
import { HttpError } from "../http/http-error.ts";

export interface Category {
  readonly id: string;
  readonly label: string;
  readonly color?: string;
}

/** The default categories of a new workspace. */
export const defaultCategories = `# The categories of flows. Flows that use a removed category are not changed.
- {id: application-to-application, label: Application to application, color: "#1F5FBF"}
- {id: b2b-edi, label: B2B/EDI, color: "#7A4FB5"}
- {id: data-sync, label: Data sync, color: "#0B7285"}
- {id: api-webhook, label: API/webhook, color: "#1F7A4D"}
- {id: notification, label: Notification, color: "#A8590B"}
- {id: utility, label: Utility, color: "#55606E"}
`;

/** Parses categories.yaml; throws if it is invalid. */
export function readCategories(text: string): readonly Category[] {
  const { tree, diagnostics } = readTree(text);
  if (tree === undefined) throw new HttpError(422, `categories.yaml, line ${diagnostics[0]?.span.line ?? 1}: ${diagnostics[0]?.message ?? "invalid YAML"}`);
  if (tree.type !== "list") {
    if (tree.type === "scalar" && tree.text === null) return [];
    throw new HttpError(422, "categories.yaml must be a list of {id, label}");
  }
  const categories = tree.items.map(categoryOf);
  const duplicate = categories.find((category, index) => categories.findIndex(({ id }) => id === category.id) !== index);
  if (duplicate !== undefined) throw new HttpError(422, `duplicate category '${duplicate.id}' in categories.yaml`);
  return categories;
}

function categoryOf(item: Tree): Category {
  const id = member(item, "id");
  if (id === undefined || id.trim() === "") throw new HttpError(422, `categories.yaml, line ${item.span.line}: a category requires an id`);
  const color = member(item, "color");
  return { id, label: member(item, "label") ?? id, ...(color !== undefined && /^#[0-9a-f]{6}$/i.test(color) ? { color } : {}) };
}

function member(item: Tree, name: string): string | undefined {
  const value = item.type === "map" ? item.entries.find(({ key }) => key === name)?.value : undefined;
  return value?.type === "scalar" ? (value.text ?? undefined) : undefined;
}
