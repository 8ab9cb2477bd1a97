import type { Log } from "@sluice/engine";
import type { BrokenDocument, DocumentStore, StoredDocument } from "./document-store.ts";
import type { Kept } from "./installed-document.ts";

export interface ReloadParts {
  readonly store: DocumentStore;
  readonly log: Log;
  readonly noun: string;
  readonly installed: Map<string, Kept & { readonly error: string | undefined }>;
  /** Lets changes of one document follow each other. */
  inTurn(id: string, work: () => Promise<void>): Promise<void>;
  /** Brings a changed file into service; tells why not, and what was in service stays then. */
  bringIn(found: StoredDocument | BrokenDocument): string | undefined;
  removed(id: string): void;
}

/** Takes over what was changed by hand in a store's files. */
export async function reloadDocuments({ store, log, noun, installed, inTurn, bringIn, removed }: ReloadParts): Promise<void> {
  const ids = new Set([...(await store.list()).map(({ id }) => id), ...installed.keys()]);
  for (const id of ids)
    await inTurn(id, async () => {
      const found = await store.read(id);
      if (found === undefined) {
        if (!installed.has(id)) return;
        removed(id);
        log.write("INFO", "sluice.mappings", `${noun} '${id}' was removed with its file`);
        return;
      }
      if (installed.get(id)?.hash === found.hash) return;
      const problem = bringIn(found);
      log.write(
        problem === undefined ? "INFO" : "ERROR",
        "sluice.mappings",
        `${noun} '${id}' was ${problem === undefined ? "reloaded" : `not reloaded: ${problem}`}`,
      );
    });
}
