// The message-mapping documents of the runtime, compiled. A document that others import is replaced only when they still
// compile with it and pass their tests.
import type { Log } from "@sluice/engine";
import { compileMapping, documentText, problemText, type CompiledMapping, type CompileOutcome, type MappingEnvironment } from "@sluice/mapping";
import { createTurns } from "../flows/turns.ts";
import { oneSentence, Refusal } from "../refusal.ts";
import type { BrokenDocument, DocumentStore, StoredDocument } from "./document-store.ts";
import { reloadDocuments } from "./reload-documents.ts";
import { asRefusal, byId, notFound, refuseChanged, refuseOtherSpelling, type IfMatch, type Kept } from "./installed-document.ts";

const noun = "message mapping";

export interface InstalledMapping extends Kept {
  readonly document: unknown;
  readonly mapping: CompiledMapping | undefined;
  /** Why it is not in service. */
  readonly error: string | undefined;
}

export interface MessageMappings {
  list(): readonly InstalledMapping[];
  read(id: string): InstalledMapping;
  find(id: string): InstalledMapping | undefined;
  install(
    id: string,
    document: unknown,
    ifMatch: IfMatch,
  ): Promise<{ readonly installed: InstalledMapping; readonly created: boolean; readonly warnings: readonly string[] }>;
  remove(id: string, ifMatch: IfMatch): Promise<void>;
  load(): Promise<void>;
  /** Takes over what was changed by hand; a document that is wrong leaves the one before in service. */
  reload(): Promise<void>;
}

export type EnvironmentParts = Omit<MappingEnvironment, "documents">;

export function createMessageMappings(store: DocumentStore, log: Log, environment: EnvironmentParts): MessageMappings {
  const installed = new Map<string, InstalledMapping>();
  const turns = createTurns();

  /** Compiles with the documents as they are, one of them replaced. */
  function compile(document: unknown, options: { readonly runTests: boolean; readonly replaced?: readonly [string, unknown] }): CompileOutcome {
    const documents = { get: (id: string): unknown => (options.replaced?.[0] === id ? options.replaced[1] : installed.get(id)?.document) };
    return compileMapping(document, { ...environment, documents }, { runTests: options.runTests });
  }

  const importers = (id: string): readonly InstalledMapping[] =>
    [...installed.values()].filter((entry) => entry.id !== id && entry.mapping?.imports.includes(id) === true);

  async function install(id: string, document: unknown, ifMatch: IfMatch): ReturnType<MessageMappings["install"]> {
    refuseOtherSpelling(noun, id, installed);
    const current = installed.get(id);
    refuseChanged(noun, id, ifMatch, current);
    const replaced = [id, document] as const;
    const { mapping, problems, warnings } = compile(document, { runTests: true, replaced });
    if (mapping === undefined || problems.length > 0) throw new Refusal("document-invalid", `${noun} '${id}': ${problemText(problems)}`);
    const changed = importers(id).map((entry) => {
      const outcome = compile(entry.document, { runTests: true, replaced });
      // What is not installed yet shows when it is used; anything else, a failing test as well, is this document's doing.
      if (outcome.mapping === undefined || outcome.problems.some(({ missing }) => missing === undefined))
        throw new Refusal("document-invalid", `${noun} '${id}': ${noun} '${entry.id}', which imports it, would break: ${problemText(outcome.problems)}`);
      return { ...entry, mapping: outcome.mapping };
    });
    const kept = await store.write(id, documentText(document)).catch(asRefusal);
    const entry: InstalledMapping = { id, document, mapping, error: undefined, ...kept };
    for (const each of [entry, ...changed]) installed.set(each.id, each);
    return { installed: entry, created: current === undefined, warnings };
  }

  async function remove(id: string, ifMatch: IfMatch): Promise<void> {
    const current = installed.get(id);
    if (current === undefined) throw notFound(noun, id);
    refuseChanged(noun, id, ifMatch, current);
    await store.remove(id).catch(asRefusal);
    const users = importers(id);
    installed.delete(id);
    for (const user of users) bringIn(user);
  }

  /** Compiles an entry and puts it in service, or notes why it is not. What is only missing shows when it is used. */
  function bringIn(entry: InstalledMapping): void {
    const { mapping, problems } = compile(entry.document, { runTests: false });
    const error = mapping === undefined ? oneSentence(problemText(problems)) : undefined;
    installed.set(entry.id, { ...entry, mapping, error });
    if (error !== undefined) log.write("ERROR", "sluice.mappings", `${noun} '${entry.id}' is not in service: ${error}`);
  }

  /** A file that was changed by hand. Its importers are compiled anew with it; one that it would break keeps what it has. */
  function takeOver(found: StoredDocument | BrokenDocument): string | undefined {
    const { id, hash, lastModified } = found;
    const before = installed.get(id);
    const document = "problem" in found ? undefined : found.value;
    const { mapping, problems } =
      "problem" in found
        ? { mapping: undefined, problems: [{ path: "", message: found.problem }] }
        : compile(document, { runTests: true, replaced: [id, document] });
    if (mapping === undefined || problems.length > 0) {
      const error = oneSentence(problemText(problems));
      installed.set(id, { id, hash, lastModified, document: before?.document, mapping: before?.mapping, error });
      return error;
    }
    installed.set(id, { id, hash, lastModified, document, mapping, error: undefined });
    for (const user of importers(id)) {
      const outcome = compile(user.document, { runTests: false });
      if (outcome.mapping !== undefined) installed.set(user.id, { ...user, mapping: outcome.mapping });
    }
    return undefined;
  }

  return {
    reload: () =>
      reloadDocuments({
        store,
        log,
        noun,
        installed,
        inTurn: (_id, work) => turns.take("documents", work),
        bringIn: takeOver,
        removed(id) {
          const users = importers(id);
          installed.delete(id);
          for (const user of users) bringIn(user);
        },
      }),
    list: () => [...installed.values()].sort(byId),
    find: (id) => installed.get(id),
    read(id) {
      const found = installed.get(id);
      if (found === undefined) throw notFound(noun, id);
      return found;
    },
    // One turn for all: what a document imports must not change while it is compiled.
    install: (id, document, ifMatch) => turns.take("documents", () => install(id, document, ifMatch)),
    remove: (id, ifMatch) => turns.take("documents", () => remove(id, ifMatch)),
    async load() {
      const found = await store.list();
      for (const document of found) {
        const { id, hash, lastModified } = document;
        const problem = "problem" in document ? document.problem : undefined;
        installed.set(id, { id, hash, lastModified, document: "problem" in document ? undefined : document.value, mapping: undefined, error: problem });
        if (problem !== undefined) log.write("ERROR", "sluice.mappings", `${noun} '${id}' is not in service: ${problem}`);
      }
      for (const entry of installed.values()) if (entry.error === undefined) bringIn(entry);
    },
  };
}
