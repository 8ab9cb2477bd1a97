// The value-mapping tables of the runtime. A lookup sees the old table or the new one, never a mixture: a table is
// swapped as a whole, and compiles its directions when they are first asked for.
import type { Log, Lookup } from "@sluice/engine";
import { documentText, problemText, readTable, tableWarnings, unknownTable, type ValueTable } from "@sluice/mapping";
import { createTurns } from "../flows/turns.ts";
import { oneSentence, Refusal } from "../refusal.ts";
import type { BrokenDocument, DocumentStore, StoredDocument } from "./document-store.ts";
import { reloadDocuments } from "./reload-documents.ts";
import { asRefusal, byId, notFound, refuseChanged, refuseOtherSpelling, type IfMatch, type Kept } from "./installed-document.ts";

const noun = "value mapping";

export interface InstalledTable extends Kept {
  /** As it was given. */
  readonly document: unknown;
  readonly table: ValueTable | undefined;
  /** Why it is not in service. */
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
    ifMatch: IfMatch,
  ): Promise<{ readonly installed: InstalledTable; readonly created: boolean; readonly warnings: readonly string[] }>;
  remove(id: string, ifMatch: IfMatch): Promise<void>;
  /** Loads what the store has; a broken table is listed with its fault and keeps nothing else from loading. */
  load(): Promise<void>;
  /** Takes over what was changed by hand; a table that is wrong leaves the one before in service. */
  reload(): Promise<void>;
}

function entryOf(found: StoredDocument | BrokenDocument): { readonly entry: InstalledTable; readonly error: string | undefined } {
  const { id, hash, lastModified } = found;
  const { table, problems } = "problem" in found ? { table: undefined, problems: [{ path: "", message: found.problem }] } : readTable(id, found.value);
  const error = table === undefined ? oneSentence(problemText(problems)) : undefined;
  return { entry: { id, hash, lastModified, document: "problem" in found ? undefined : found.value, table, error }, error };
}

export function createValueMappings(store: DocumentStore, log: Log): ValueMappings {
  const installed = new Map<string, InstalledTable>();
  const turns = createTurns();
  const tables = { get: (id: string): ValueTable | undefined => installed.get(id)?.table };

  async function install(id: string, document: unknown, ifMatch: IfMatch): ReturnType<ValueMappings["install"]> {
    refuseOtherSpelling(noun, id, installed);
    const current = installed.get(id);
    refuseChanged(noun, id, ifMatch, current);
    const { table, problems } = readTable(id, document);
    if (table === undefined) throw new Refusal("document-invalid", `${noun} '${id}': ${problemText(problems)}`);
    const kept = await store.write(id, documentText(document)).catch(asRefusal);
    const entry: InstalledTable = { id, document, table, error: undefined, ...kept };
    installed.set(id, entry);
    return { installed: entry, created: current === undefined, warnings: tableWarnings(table.content) };
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
    install: (id, document, ifMatch) => turns.take(id.toLowerCase(), () => install(id, document, ifMatch)),
    remove: (id, ifMatch) =>
      turns.take(id.toLowerCase(), async () => {
        const current = installed.get(id);
        if (current === undefined) throw notFound(noun, id);
        refuseChanged(noun, id, ifMatch, current);
        await store.remove(id).catch(asRefusal);
        installed.delete(id);
      }),
    reload: () =>
      reloadDocuments({
        store,
        log,
        noun,
        installed,
        inTurn: (id, work) => turns.take(id.toLowerCase(), work),
        bringIn(found) {
          const { entry, error } = entryOf(found);
          const before = installed.get(found.id);
          installed.set(found.id, error === undefined || before === undefined ? entry : { ...entry, document: before.document, table: before.table });
          return error;
        },
        removed: (id) => installed.delete(id),
      }),
    async load() {
      for (const found of await store.list()) {
        const { entry, error } = entryOf(found);
        installed.set(found.id, entry);
        if (error !== undefined) log.write("ERROR", "sluice.mappings", `${noun} '${found.id}' is not in service: ${error}`);
      }
    },
  };
}
