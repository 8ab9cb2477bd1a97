// The value-mapping tables and message-mapping documents of the workspace, for a simulated flow.
import { parse } from "yaml";
import { compileMapping, mappingLanguages, problemText, readTable, unknownTable, type CompiledMapping, type ValueTable } from "@sluice/mapping";
import type { MessageMappingPort } from "@sluice/connectors/portable";
import type { Catalog, Host, Lookup } from "@sluice/engine";

/** Content by id. */
export type Documents = Readonly<Record<string, string>>;

export class SimulatedMappings {
  readonly #tables: ReadonlyMap<string, ValueTable>;
  readonly #documents: ReadonlyMap<string, unknown>;
  readonly #compiled = new Map<string, { readonly mapping: CompiledMapping | undefined; readonly error: string | undefined }>();
  #languageScope: { readonly catalog: Catalog; readonly host: Host } | undefined;

  constructor(tables: Documents, documents: Documents) {
    this.#tables = new Map(
      Object.entries(tables).flatMap(([id, text]) => {
        const { table } = readTable(id, parseText(text));
        return table === undefined ? [] : [[id, table] as const];
      }),
    );
    this.#documents = new Map(Object.entries(documents).map(([id, text]) => [id, parseText(text)]));
  }

  readonly lookup: Lookup = {
    find: (id, from, to, key, onMissing) => {
      const table = this.#tables.get(id);
      if (table === undefined) throw unknownTable(id);
      return table.find(from, to, key, onMissing);
    },
  };

  readonly port: MessageMappingPort = { find: (id) => (this.#documents.has(id) ? this.#compile(id) : undefined) };

  /** Provides the languages of the simulation; call before anything runs. */
  use(catalog: Catalog, host: Host): void {
    this.#languageScope = { catalog, host };
  }

  #compile(id: string): { readonly mapping: CompiledMapping | undefined; readonly error: string | undefined } {
    const cached = this.#compiled.get(id);
    if (cached !== undefined) return cached;
    const scope = this.#languageScope;
    const { mapping, problems } = compileMapping(this.#documents.get(id), {
      tables: this.#tables,
      documents: this.#documents,
      ...(scope === undefined ? {} : { compileLanguage: mappingLanguages(scope.catalog, scope.host) }),
    });
    const outcome = { mapping, error: mapping === undefined ? problemText(problems) : undefined };
    this.#compiled.set(id, outcome);
    return outcome;
  }
}

/** An invalid document is treated as empty: its editor reports the errors. */
function parseText(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100 }) as unknown;
  } catch {
    return undefined;
  }
}
