// Metadata of a Kamelet file for lists and forms. Files are read again only when they change: a catalog has hundreds of them.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { defaultLimits, readKamelet, readTree, type Kamelet } from "@sluice/model";
import { hashOf } from "../flows/flow-hash.ts";
import type { KameletOrigin, KameletFolder } from "./find-kamelet-folders.ts";
import { findKameletFile } from "./kamelet-folders.ts";

export interface KameletMetadata {
  readonly name: string;
  readonly place: KameletOrigin;
  /** SHA-256 of the file. */
  readonly hash: string;
  readonly lastModified: number;
  /** Undefined when the file is not a usable Kamelet. */
  readonly about: Omit<Kamelet, "template"> | undefined;
  readonly error: string | undefined;
}

export class KameletMetadataCache {
  readonly #folders: readonly KameletFolder[];
  readonly #cache = new Map<string, KameletMetadata & { readonly path: string; readonly size: number }>();

  constructor(folders: readonly KameletFolder[]) {
    this.#folders = folders;
  }

  /** The metadata of the file that flows use; undefined when there is none. */
  find(name: string): KameletMetadata | undefined {
    const file = findKameletFile(
      this.#folders.map(({ folder }) => folder),
      name,
    );
    if (file === undefined) {
      this.#cache.delete(name);
      return undefined;
    }
    const { path, stats } = file;
    const lastModified = Math.round(stats.mtimeMs);
    const cached = this.#cache.get(name);
    if (cached?.path === path && cached.lastModified === lastModified && cached.size === stats.size) return cached;
    const place = this.#folders.find(({ folder }) => folder === dirname(path)) as KameletFolder;
    const metadata = { name, path, place, lastModified, size: stats.size, ...readMetadata(path) };
    this.#cache.set(name, metadata);
    return metadata;
  }

  /** Removes a file that was just written from the cache: its size and time may equal those of the previous version. */
  forget(name: string): void {
    this.#cache.delete(name);
  }
}

/** The metadata in the text of a Kamelet. */
export function metadataOf(bytes: Uint8Array): Pick<KameletMetadata, "hash" | "about" | "error"> {
  const { tree, diagnostics } = readTree(new TextDecoder().decode(bytes));
  const kamelet = tree === undefined ? undefined : readKamelet(tree);
  const fault = diagnostics[0] ?? (kamelet !== undefined && "code" in kamelet ? kamelet : undefined);
  const hash = hashOf(bytes);
  if (fault !== undefined) return { hash, about: undefined, error: `line ${fault.span.line}, column ${fault.span.column}: ${fault.message}` };
  if (kamelet === undefined || "code" in kamelet) return { hash, about: undefined, error: "the file is empty" };
  const { template: _, ...about } = kamelet;
  return { hash, about, error: undefined };
}

function readMetadata(path: string): Pick<KameletMetadata, "hash" | "about" | "error"> {
  try {
    return metadataOf(readFileSync(path).subarray(0, defaultLimits.bytes + 1));
  } catch (error) {
    return { hash: "", about: undefined, error: `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})` };
  }
}
