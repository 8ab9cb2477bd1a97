// The Kamelets of a deployment: those that its flows use and that are files of the project. Kamelets of SERVICE_KAMELETS are not deployed; they must be
// installed on the runtime.
import { relative } from "node:path";
import { kameletNamesIn, readTree } from "@sluice/model";
import { kameletFolders } from "@sluice/server/check";
import { UsageError } from "../../command/declaration.ts";
import { projectKameletFolders } from "../../files/project-kamelet-folders.ts";
import type { FlowArtifact, KameletArtifact } from "./artifacts.ts";

type KameletUser = Pick<FlowArtifact, "file" | "text"> & { readonly params: Readonly<Record<string, string>> };

export class UsedKamelets {
  readonly #artifacts = new Map<string, KameletArtifact>();

  /** In dependency order: a Kamelet follows those that it uses. */
  get artifacts(): readonly KameletArtifact[] {
    return [...this.#artifacts.values()];
  }

  /** Adds the Kamelets that a flow uses, directly or through other Kamelets; returns their names. */
  add({ file, text, params }: KameletUser): readonly string[] {
    const folders = projectKameletFolders([file]);
    if (folders.length === 0) return [];
    const kamelets = kameletFolders(folders);
    const seen = new Set<string>();
    const visit = (name: string): void => {
      if (seen.has(name)) return;
      const found = kamelets.find(name);
      if (found === undefined) return;
      seen.add(name);
      for (const inner of namesIn(found.text)) visit(inner);
      this.addFile(name, relative(process.cwd(), found.file) || found.file, found.text);
    };
    for (const name of namesIn(text, params)) visit(name);
    return [...seen];
  }

  addFile(id: string, file: string, text: string): void {
    const duplicate = this.#artifacts.get(id);
    if (duplicate !== undefined && duplicate.text !== text)
      throw new UsageError(`'${file}' and '${duplicate.file}' are different Kamelets with the same name '${id}': rename one of them`);
    if (duplicate === undefined) this.#artifacts.set(id, { kind: "kamelet", id, file, text, body: { yaml: text } });
  }
}

/** Returns no names if the document cannot be parsed; the runtime reports that error with its position. */
function namesIn(text: string, params: Readonly<Record<string, string>> = {}): readonly string[] {
  const { tree } = readTree(text);
  return tree === undefined ? [] : kameletNamesIn(tree, (name) => params[name]);
}
