// The value-mapping tables. A table is replaced as a whole, so a lookup never sees a mix of two versions. Lookup directions are compiled
// on first use.
import type { Log, Lookup } from "@sluice/engine";
import { documentTextIncrementally, problemText, readTableIncrementally, tableWarningsIncrementally, unknownTable, type ValueTable } from "@sluice/mapping";
import { throwStorageError, throwIfUnflushed } from "../flows/storage-errors.ts";
import { createKeyedMutex } from "@sluice/engine/tools";
import { inSlices } from "../host/in-slices.ts";
import { oneSentence, ServiceError } from "../service-error.ts";
import type { BrokenDocument, DocumentStore, StoredDocument } from "./document-store.ts";
import { reloadDocuments } from "./reload-documents.ts";
import { byId, notFound, rejectCaseConflict, type DocumentVersion } from "./installed-document.ts";
import { checkPrecondition, type Precondition } from "../precondition.ts";

const noun = "value mapping";

export interface InstalledTable extends DocumentVersion {
  /** The document as the client sent it. */
  readonly document: unknown;
  readonly table: ValueTable | undefined;
  /** Why it is not active. */
  readonly error: string | undefined;
}

export interface ValueMappings {
  readonly lookup: Lookup;
  readonly tables: { get(id: string): ValueTable | undefined };
  list(): readonly InstalledTable[];
  read(id: string): InstalledTable;
  install(
    id: string,
    document: unknown,
    precondition: Precondition,
  ): Promise<{ readonly installed: InstalledTable; readonly created: boolean; readonly warnings: readonly string[] }>;
  remove(id: string, precondition: Precondition): Promise<void>;
  /** Loads the stored tables; a broken one is listed with its error and does not affect the others. */
  load(): Promise<void>;
  /** Applies manual changes; an invalid table leaves the previous version active. */
  reload(): Promise<void>;
}

interface ReadEntry {
  readonly entry: InstalledTable;
  readonly error: string | undefined;
}

function* entryIncrementally(found: StoredDocument | BrokenDocument): Generator<undefined, ReadEntry> {
  const { id, hash, lastModified } = found;
  const { table, problems } =
    "problem" in found ? { table: undefined, problems: [{ path: "", message: found.problem }] } : yield* readTableIncrementally(id, found.value);
  const error = table === undefined ? oneSentence(problemText(problems)) : undefined;
  return { entry: { id, hash, lastModified, document: "problem" in found ? undefined : found.value, table, error }, error };
}

export function createValueMappings(store: DocumentStore, log: Log): ValueMappings {
  const installed = new Map<string, InstalledTable>();
  const mutex = createKeyedMutex();
  const tables = { get: (id: string): ValueTable | undefined => installed.get(id)?.table };

  async function install(id: string, document: unknown, precondition: Precondition): ReturnType<ValueMappings["install"]> {
    rejectCaseConflict(noun, id, installed);
    const current = installed.get(id);
    checkPrecondition(`${noun} '${id}'`, precondition, current);
    const { table, problems } = await inSlices(readTableIncrementally(id, document));
    if (table === undefined) throw new ServiceError("document-invalid", `${noun} '${id}': ${problemText(problems)}`);
    const text = await inSlices(documentTextIncrementally(document));
    const warnings = await inSlices(tableWarningsIncrementally(table.content));
    const { unflushed, ...stored } = await store.write(id, text).catch(throwStorageError);
    const entry: InstalledTable = { id, document, table, error: undefined, ...stored };
    installed.set(id, entry);
    throwIfUnflushed(unflushed, "the new version is active, but may be lost");
    return { installed: entry, created: current === undefined, warnings };
  }

  return {
    tables,
    lookup: {
      find(id, from, to, key, onMissing) {
        const table = tables.get(id);
        if (table === undefined) throw unknownTable(id);
        return table.find(from, to, key, onMissing);
      },
    },
    list: () => [...installed.values()].sort(byId),
    read(id) {
      const found = installed.get(id);
      if (found === undefined) throw notFound(noun, id);
      return found;
    },
    install: (id, document, precondition) => mutex.run(id.toLowerCase(), () => install(id, document, precondition)),
    remove: (id, precondition) =>
      mutex.run(id.toLowerCase(), async () => {
        const current = installed.get(id);
        if (current === undefined) throw notFound(noun, id);
        checkPrecondition(`${noun} '${id}'`, precondition, current);
        const { unflushed } = await store.remove(id).catch(throwStorageError);
        installed.delete(id);
        throwIfUnflushed(unflushed, `${noun} '${id}' was removed, but may reappear`);
      }),
    reload: () =>
      reloadDocuments({
        store,
        log,
        noun,
        installed,
        exclusively: (id, work) => mutex.run(id.toLowerCase(), work),
        async apply(found) {
          const { entry, error } = await inSlices(entryIncrementally(found));
          const previous = installed.get(found.id);
          installed.set(found.id, error === undefined || previous === undefined ? entry : { ...entry, document: previous.document, table: previous.table });
          return error;
        },
        removed: (id) => void installed.delete(id),
      }),
    async load() {
      for (const found of await store.list()) {
        // In a follower, every change to a document calls this for all tables.
        if (installed.get(found.id)?.hash === found.hash) continue;
        const { entry, error } = await inSlices(entryIncrementally(found));
        installed.set(found.id, entry);
        if (error !== undefined) log.write("ERROR", "sluice.mappings", `Cannot use ${noun} '${found.id}': ${error}`);
      }
    },
  };
}
