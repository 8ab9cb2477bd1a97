// The message-mapping documents of the runtime, compiled. A document that others import is replaced only when they still
// compile with it and pass their tests.
import type { Log } from "@sluice/engine";
import {
  compileMappingIncrementally,
  documentTextIncrementally,
  problemText,
  type CompiledMapping,
  type CompileOutcome,
  type MappingEnvironment,
} from "@sluice/mapping";
import { throwStorageError, throwIfUnflushed } from "../flows/storage-errors.ts";
import { createKeyedMutex } from "@sluice/engine/tools";
import { inSlices } from "../host/in-slices.ts";
import { oneSentence, ServiceError } from "../service-error.ts";
import type { BrokenDocument, DocumentStore, StoredDocument } from "./document-store.ts";
import { reloadDocuments } from "./reload-documents.ts";
import { byId, notFound, rejectCaseConflict, type DocumentVersion } from "./installed-document.ts";
import { checkPrecondition, type Precondition } from "../precondition.ts";

const noun = "message mapping";

export interface InstalledMapping extends DocumentVersion {
  readonly document: unknown;
  readonly mapping: CompiledMapping | undefined;
  /** Why it is not active. */
  readonly error: string | undefined;
}

export interface MessageMappings {
  list(): readonly InstalledMapping[];
  read(id: string): InstalledMapping;
  find(id: string): InstalledMapping | undefined;
  install(
    id: string,
    document: unknown,
    precondition: Precondition,
  ): Promise<{ readonly installed: InstalledMapping; readonly created: boolean; readonly warnings: readonly string[] }>;
  remove(id: string, precondition: Precondition): Promise<void>;
  load(): Promise<void>;
  /** Loads changes made by hand; an invalid document leaves the previous one active. */
  reload(): Promise<void>;
}

export type EnvironmentParts = Omit<MappingEnvironment, "documents">;

export function createMessageMappings(store: DocumentStore, log: Log, environment: EnvironmentParts): MessageMappings {
  const installed = new Map<string, InstalledMapping>();
  const mutex = createKeyedMutex();

  /** Compiles in slices with the current documents, except those in `replaced`. */
  async function compile(
    document: unknown,
    options: { readonly runTests: boolean; readonly replaced?: ReadonlyMap<string, unknown> },
  ): Promise<CompileOutcome> {
    const { runTests, replaced } = options;
    const documents = { get: (id: string): unknown => (replaced?.has(id) === true ? replaced.get(id) : installed.get(id)?.document) };
    return inSlices(compileMappingIncrementally(document, { ...environment, documents }, { runTests }));
  }

  const importers = (id: string): readonly InstalledMapping[] =>
    [...installed.values()].filter((entry) => entry.id !== id && entry.mapping?.imports.includes(id) === true);

  async function install(id: string, document: unknown, precondition: Precondition): ReturnType<MessageMappings["install"]> {
    rejectCaseConflict(noun, id, installed);
    const current = installed.get(id);
    checkPrecondition(`${noun} '${id}'`, precondition, current);
    const replaced = new Map([[id, document]]);
    const { mapping, problems, warnings } = await compile(document, { runTests: true, replaced });
    if (mapping === undefined || problems.length > 0) throw new ServiceError("document-invalid", `${noun} '${id}': ${problemText(problems)}`);
    const changed: InstalledMapping[] = [];
    for (const entry of importers(id)) {
      const outcome = await compile(entry.document, { runTests: true, replaced });
      // Missing dependencies are reported when the document is used; any other error, including a failing test, rejects it.
      if (outcome.mapping === undefined || outcome.problems.some(({ missing }) => missing === undefined))
        throw new ServiceError("document-invalid", `${noun} '${id}': ${noun} '${entry.id}', which imports it, would break: ${problemText(outcome.problems)}`);
      changed.push({ ...entry, mapping: outcome.mapping });
    }
    const { unflushed, ...stored } = await store.write(id, await inSlices(documentTextIncrementally(document))).catch(throwStorageError);
    const entry: InstalledMapping = { id, document, mapping, error: undefined, ...stored };
    for (const updated of [entry, ...changed]) installed.set(updated.id, updated);
    throwIfUnflushed(unflushed, "the new version is active, but may be lost");
    return { installed: entry, created: current === undefined, warnings };
  }

  async function remove(id: string, precondition: Precondition): Promise<void> {
    const current = installed.get(id);
    if (current === undefined) throw notFound(noun, id);
    checkPrecondition(`${noun} '${id}'`, precondition, current);
    const { unflushed } = await store.remove(id).catch(throwStorageError);
    const users = importers(id);
    installed.delete(id);
    for (const user of users) await recompile(user);
    throwIfUnflushed(unflushed, `${noun} '${id}' was removed, but may reappear`);
  }

  /** Compiles an entry and activates it, or records the error. Missing dependencies are reported on use. */
  async function recompile(entry: InstalledMapping): Promise<void> {
    activate(entry, await compile(entry.document, { runTests: false }));
  }

  function activate(entry: InstalledMapping, { mapping, problems }: CompileOutcome): void {
    const error = mapping === undefined ? oneSentence(problemText(problems)) : undefined;
    installed.set(entry.id, { ...entry, mapping, error });
    if (error !== undefined) log.write("ERROR", "sluice.mappings", `Cannot use ${noun} '${entry.id}': ${error}`);
  }

  /** Compiles new documents, and documents that are inactive or import a new document, then activates them together. */
  async function load(): Promise<void> {
    const found = (await store.list()).filter(({ id, hash }) => installed.get(id)?.hash !== hash);
    const fresh = found.map((document): InstalledMapping => {
      const { id, hash, lastModified } = document;
      const [value, error] = "problem" in document ? [undefined, document.problem] : [document.value, undefined];
      return { id, hash, lastModified, document: value, mapping: undefined, error };
    });
    const replaced = new Map(fresh.map(({ id, document }) => [id, document]));
    const affected = [...installed.values()].filter(
      ({ id, mapping }) => !replaced.has(id) && (mapping === undefined || mapping.imports.some((imported) => replaced.has(imported))),
    );
    const outcomes: (readonly [InstalledMapping, CompileOutcome])[] = [];
    for (const entry of [...fresh, ...affected]) {
      const isBroken = entry.document === undefined;
      outcomes.push([entry, isBroken ? broken(entry.error) : await compile(entry.document, { runTests: false, replaced })]);
    }
    for (const [entry, outcome] of outcomes) activate(entry, outcome);
  }

  /** Loads a file changed manually. Its importers are recompiled; an importer that would break keeps its current version. */
  async function applyFile(found: StoredDocument | BrokenDocument): Promise<string | undefined> {
    const { id, hash, lastModified } = found;
    const previous = installed.get(id);
    const document = "problem" in found ? undefined : found.value;
    const { mapping, problems } =
      "problem" in found
        ? { mapping: undefined, problems: [{ path: "", message: found.problem }] }
        : await compile(document, { runTests: true, replaced: new Map([[id, document]]) });
    if (mapping === undefined || problems.length > 0) {
      const error = oneSentence(problemText(problems));
      installed.set(id, { id, hash, lastModified, document: previous?.document, mapping: previous?.mapping, error });
      return error;
    }
    installed.set(id, { id, hash, lastModified, document, mapping, error: undefined });
    for (const user of importers(id)) {
      const outcome = await compile(user.document, { runTests: false });
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
        exclusively: (_id, work) => mutex.run("documents", work),
        apply: applyFile,
        async removed(id) {
          const users = importers(id);
          installed.delete(id);
          for (const user of users) await recompile(user);
        },
      }),
    list: () => [...installed.values()].sort(byId),
    find: (id) => installed.get(id),
    read(id) {
      const found = installed.get(id);
      if (found === undefined) throw notFound(noun, id);
      return found;
    },
    // Serialized, because imports must not change during compilation.
    install: (id, document, precondition) => mutex.run("documents", () => install(id, document, precondition)),
    remove: (id, precondition) => mutex.run("documents", () => remove(id, precondition)),
    load,
  };
}

/** The result for a file that cannot be read. */
const broken = (problem = ""): CompileOutcome => ({ mapping: undefined, problems: [{ path: "", message: problem }], warnings: [] });
