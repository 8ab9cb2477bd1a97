// The options of a part of a flow as strings by path, such as `when[0].simple`, and how they differ between two versions.
import type { Tree } from "../flow/tree.ts";

export interface OptionChange {
  /** The path of the option; empty for the value of a step that is plain text. */
  readonly name: string;
  /** As written; null when it is not set. */
  readonly before: string | null;
  readonly after: string | null;
}

export type WrittenOptions = ReadonlyMap<string, string>;

/** All options except nested steps, which are compared as steps. */
export function writtenOptions(tree: Tree | undefined, isExcluded: (path: string) => boolean = () => false): WrittenOptions {
  if (tree === undefined) return new Map();
  const texts = textsByPath(tree, (path, key, member) => (key === "steps" && isSteps(member)) || isExcluded(path));
  return new Map([...texts].filter(([path, text]) => !isUnset(path, text)).map(([path, text]) => [path, text ?? ""]));
}

/** All strings of a part, including nested steps. */
export const allTexts = (tree: Tree): WrittenOptions => new Map([...textsByPath(tree, () => false)].map(([path, text]) => [path, text ?? ""]));

function textsByPath(tree: Tree, isExcluded: (path: string, key: string, member: Tree) => boolean): ReadonlyMap<string, string | null> {
  const texts = new Map<string, string | null>();
  const visit = (value: Tree, path: string): void => {
    if (value.type === "scalar") texts.set(path, value.text);
    else if (value.type === "list") value.items.forEach((item, index) => visit(item, `${path}[${index}]`));
    else {
      for (const { key, value: member } of value.entries) {
        const inner = path === "" ? key : `${path}.${key}`;
        if (!isExcluded(inner, key, member)) visit(member, inner);
      }
    }
  };
  visit(tree, "");
  return texts;
}

const isSteps = (tree: Tree): boolean => tree.type === "list" || (tree.type === "scalar" && tree.text === null);

/** An empty part and `disabled: false` count as absent. */
const isUnset = (path: string, text: string | null): boolean => (path === "" && text === null) || (path === "disabled" && text === "false");

export function optionChanges(before: WrittenOptions, after: WrittenOptions): readonly OptionChange[] {
  const [oldOptions, newOptions] = [withoutShorthand(before, after), withoutShorthand(after, before)];
  return [...new Set([...oldOptions.keys(), ...newOptions.keys()])]
    .filter((name) => oldOptions.get(name) !== newOptions.get(name))
    .map((name) => ({ name, before: oldOptions.get(name) ?? null, after: newOptions.get(name) ?? null }));
}

/** `log: text` is the short form of `log: {message: text}`: the text gets the name of the option in the other version. */
function withoutShorthand(options: WrittenOptions, other: WrittenOptions): WrittenOptions {
  const text = options.get("");
  if (text === undefined || options.size > 1 || other.has("")) return options;
  const names = [...other.keys()].filter((name) => name !== "id" && name !== "description");
  const name = names.find((candidate) => other.get(candidate) === text) ?? (names.length === 1 ? names[0] : undefined);
  return name === undefined ? options : new Map([[name, text]]);
}
