// Edits of one test in a test file; each changes only the lines of that test.
import { insertItem, itemText, readTree, removeItem, setAt, treeAt, type Edit } from "@sluice/model";

const listPath = ["tests"] as const;

/** The names of the tests of a file, in order; undefined while its text cannot be read. */
export function testNames(text: string): readonly string[] | undefined {
  const { tree } = readTree(text);
  const list = tree === undefined ? undefined : treeAt(tree, listPath);
  if (list?.type !== "list") return undefined;
  return list.items.map((item) => {
    const name = item.type === "map" ? item.entries.find(({ key }) => key === "name")?.value : undefined;
    return name?.type === "scalar" ? (name.text ?? "") : "";
  });
}

export const renameTest = (text: string, index: number, name: string): Edit => setAt(text, [...listPath, index, "name"], name);

/** Inserts a copy after the test. */
export function duplicateTest(text: string, index: number, name: string): Edit {
  const copied = insertItem(text, listPath, index + 1, itemText(text, listPath, index) ?? "");
  return copied.ok ? renameTest(copied.source, index + 1, name) : copied;
}

export const removeTest = (text: string, index: number): Edit => removeItem(text, listPath, index);
