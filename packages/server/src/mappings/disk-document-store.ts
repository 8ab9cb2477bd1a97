// Stores documents as files `<id>.json` in one directory, replaced atomically.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "@sluice/connectors/create-folder";
import { readTree, type Tree } from "@sluice/model";
import { hashOf } from "../flows/flow-hash.ts";
import { modifiedAt, readEntireFile, removeDurably, removeLeftovers, writeDurably } from "../flows/durable-file.ts";
import { isFlowId } from "../flows/flow-id.ts";
import type { BrokenDocument, DocumentStore, StoredDocument } from "./document-store.ts";

const extension = ".json";
const readableExtensions = [extension, ".yaml", ".yml"];
const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

export interface DiskDocumentOptions {
  /** Only the owner may read the files, which contain secrets. */
  readonly isPrivate?: boolean;
  /** Also read YAML files written by hand. */
  readonly readsYaml?: boolean;
}

/** A read-only store for the documents of a directory. A directory that does not exist has no documents. */
export function documentsIn(directory: string, suffixes: readonly string[] = readableExtensions): Pick<DocumentStore, "list" | "read"> {
  return {
    async list() {
      const names = (await namesIn(directory)).filter((name) => !name.startsWith(".") && suffixes.some((suffix) => name.endsWith(suffix))).sort();
      const documents: (StoredDocument | BrokenDocument)[] = [];
      for (const name of names) documents.push(await readDocument(directory, name));
      return documents;
    },
    async read(id) {
      const names = await namesIn(directory);
      const name = suffixes.map((suffix) => `${id}${suffix}`).find((candidate) => names.includes(candidate));
      return name === undefined ? undefined : readDocument(directory, name);
    },
  };
}

/** Opens or creates the directory and removes temporary files left by a crash. */
export async function openDiskDocumentStore(directory: string, { isPrivate = false, readsYaml = false }: DiskDocumentOptions = {}): Promise<DocumentStore> {
  const suffixes = readsYaml ? readableExtensions : [extension];
  await createFolder(directory, isPrivate ? 0o700 : 0o750).catch(ignoreReadOnly);
  // A read-only directory can still be served.
  await removeLeftovers(directory).catch(() => undefined);
  return {
    ...documentsIn(directory, suffixes),
    async write(id, text) {
      const bytes = Buffer.from(text, "utf8");
      const name = `${id}${extension}`;
      const unflushed = await writeDurably(directory, name, bytes, isPrivate ? 0o600 : 0o640);
      // A YAML file with this id would otherwise be a second document.
      for (const other of suffixes.slice(1)) await removeDurably(directory, `${id}${other}`);
      return { hash: hashOf(bytes), lastModified: await modifiedAt(join(directory, name)), unflushed };
    },
    async remove(id) {
      let removal = await removeDurably(directory, `${id}${extension}`);
      for (const other of suffixes.slice(1)) {
        const { found, unflushed } = await removeDurably(directory, `${id}${other}`);
        removal = { found: removal.found || found, unflushed: removal.unflushed ?? unflushed };
      }
      return removal;
    },
  };
}

/** A read-only data directory can be served even if this folder does not exist. */
function ignoreReadOnly(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EROFS" && error.code !== "EACCES") throw error;
  return undefined;
}

const namesIn = (directory: string): Promise<readonly string[]> =>
  readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return [];
  });

async function readDocument(directory: string, name: string): Promise<StoredDocument | BrokenDocument> {
  const id = name.replace(/\.(?:json|ya?ml)$/, "");
  const broken = (problem: string, hash = "", lastModified = 0): BrokenDocument => ({ id, hash, lastModified, problem });
  if (!isFlowId(id)) return broken(`'${id}' is not a valid id: rename the file`);
  try {
    const path = join(directory, name);
    const [bytes, stats] = await Promise.all([readEntireFile(path), stat(path)]);
    const metadata = { id, hash: hashOf(bytes), lastModified: Math.round(stats.mtimeMs) };
    try {
      const text = strictUtf8.decode(bytes);
      if (name.endsWith(extension)) return { ...metadata, value: JSON.parse(text) as unknown };
      const { tree, diagnostics } = readTree(text);
      if (tree === undefined)
        return broken(`invalid YAML at line ${diagnostics[0]?.span.line ?? 1}: ${diagnostics[0]?.message ?? ""}`, metadata.hash, metadata.lastModified);
      return { ...metadata, value: plainTree(tree) };
    } catch {
      return broken(name.endsWith(extension) ? "the file is not JSON" : "the file is not UTF-8 text", metadata.hash, metadata.lastModified);
    }
  } catch (error) {
    return broken(`the file cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`);
  }
}

/** The values of a document without positions. */
function plainTree(tree: Tree): unknown {
  if (tree.type === "list") return tree.items.map(plainTree);
  if (tree.type === "map") return Object.fromEntries(tree.entries.map(({ key, value }) => [key, plainTree(value)]));
  return !tree.quoted && (tree.text === "true" || tree.text === "false") ? tree.text === "true" : tree.text;
}
