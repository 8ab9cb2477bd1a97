import type { Log } from "@sluice/engine";
import type { BrokenDocument, DocumentStore, StoredDocument } from "./document-store.ts";
import type { DocumentVersion } from "./installed-document.ts";

export interface ReloadParts {
  readonly store: DocumentStore;
  readonly log: Log;
  readonly noun: string;
  /** Defaults to `sluice.mappings`. */
  readonly logger?: string;
  readonly installed: Map<string, DocumentVersion & { readonly error: string | undefined }>;
  /** Serializes changes to one document. */
  exclusively(id: string, work: () => Promise<void>): Promise<void>;
  /** Activates a changed file; returns the error if that fails, and then the previous version stays active. */
  apply(found: StoredDocument | BrokenDocument): string | undefined | Promise<string | undefined>;
  removed(id: string): void | Promise<void>;
}

/** Loads changes made by hand to the files of a store. */
export async function reloadDocuments({ store, log, noun, logger = "sluice.mappings", installed, exclusively, apply, removed }: ReloadParts): Promise<void> {
  const ids = new Set([...(await store.list()).map(({ id }) => id), ...installed.keys()]);
  for (const id of ids)
    await exclusively(id, async () => {
      const found = await store.read(id);
      if (found === undefined) {
        if (!installed.has(id)) return;
        await removed(id);
        log.write("INFO", logger, `Removed ${noun} '${id}' because ${store.removalReason?.(id) ?? "its file was deleted"}`);
        return;
      }
      if (installed.get(id)?.hash === found.hash) return;
      const problem = await apply(found);
      log.write(
        problem === undefined ? "INFO" : "ERROR",
        logger,
        problem === undefined ? `Reloaded ${noun} '${id}'` : `Cannot reload ${noun} '${id}': ${problem}`,
      );
    });
}
