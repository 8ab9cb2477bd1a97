// Metadata of a Kamelet file for lists and forms. Files are read again only when they change: a catalog has hundreds of them.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { defaultLimits, readKamelet, readTree, type Kamelet } from "@sluice/model";
import { hashOf } from "../flows/flow-hash.ts";
import type { KameletOrigin, KameletFolder } from "./find-kamelet-folders.ts";
import { findKameletFile } from "./kamelet-folders.ts";

export interface KameletFacts {
  readonly name: string;
  readonly place: KameletOrigin;
  /** SHA-256 of the file. */
  readonly hash: string;
  readonly lastModified: number;
  /** Undefined when the file is not a usable Kamelet. */
  readonly about: Omit<Kamelet, "template"> | undefined;
  readonly error: string | undefined;
}

export class KameletFactsCache {
  readonly #folders: readonly KameletFolder[];
  readonly #known = new Map<string, KameletFacts & { readonly path: string; readonly size: number }>();

  constructor(folders: readonly KameletFolder[]) {
    this.#folders = folders;
  }

  /** The metadata of the file that flows use; undefined when there is none. */
  find(name: string): KameletFacts | undefined {
    const found = findKameletFile(
      this.#folders.map(({ folder }) => folder),
      name,
    );
    if (found === undefined) {
      this.#known.delete(name);
      return undefined;
    }
    const { path, facts } = found;
    const lastModified = Math.round(facts.mtimeMs);
    const known = this.#known.get(name);
    if (known?.path === path && known.lastModified === lastModified && known.size === facts.size) return known;
    const place = this.#folders.find(({ folder }) => folder === dirname(path)) as KameletFolder;
    const read = { name, path, place, lastModified, size: facts.size, ...readFacts(path) };
    this.#known.set(name, read);
    return read;
  }

  /** Forgets a file that was just written: its size and time can be those of the previous one. */
  forget(name: string): void {
    this.#known.delete(name);
  }
}

/** The metadata in the text of a Kamelet. */
export function factsOf(bytes: Uint8Array): Pick<KameletFacts, "hash" | "about" | "error"> {
  const { tree, diagnostics } = readTree(new TextDecoder().decode(bytes));
  const kamelet = tree === undefined ? undefined : readKamelet(tree);
  const fault = diagnostics[0] ?? (kamelet !== undefined && "code" in kamelet ? kamelet : undefined);
  const hash = hashOf(bytes);
  if (fault !== undefined) return { hash, about: undefined, error: `line ${fault.span.line}, column ${fault.span.column}: ${fault.message}` };
  if (kamelet === undefined || "code" in kamelet) return { hash, about: undefined, error: "the file is empty" };
  const { template: _, ...about } = kamelet;
  return { hash, about, error: undefined };
}

function readFacts(path: string): Pick<KameletFacts, "hash" | "about" | "error"> {
  try {
    return factsOf(readFileSync(path).subarray(0, defaultLimits.bytes + 1));
  } catch (error) {
    return { hash: "", about: undefined, error: `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})` };
  }
}
