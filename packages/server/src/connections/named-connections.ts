// Connections defined by an operator: stored, validated, tested and activated.
import { bindFields } from "@sluice/engine";
import { isCompileError, type ClientPackage, type ConnectionDeclaration, type Host, type Log } from "@sluice/engine/spi";
import type { Fields } from "@sluice/model";
import { throwStorageError, throwIfUnflushed } from "../flows/storage-errors.ts";
import { createKeyedMutex } from "@sluice/engine/tools";
import type { BrokenDocument, DocumentStore, StoredDocument } from "../mappings/document-store.ts";
import { byId, notFound, rejectCaseConflict, rejectIfUsed, type RemoteFlow, type DocumentVersion } from "../mappings/installed-document.ts";
import { reloadDocuments } from "../mappings/reload-documents.ts";
import { createSecretValues } from "../masking/secret-values.ts";
import { checkPrecondition, type Precondition } from "../precondition.ts";
import { oneSentence, ServiceError } from "../service-error.ts";
import { readDocument, resolveValues, toStoredDocument, type ConnectionDocument, type ReferenceSources } from "./connection-document.ts";
import type { ConnectionTypes } from "./connection-types.ts";
import type { OpenConnections } from "./open-connections.ts";
import { tryConnection, withClient, type TestOutcome } from "./try-connection.ts";

const noun = "connection";

export interface NamedConnection extends DocumentVersion {
  readonly document: ConnectionDocument | undefined;
  /** Why it cannot be used. */
  readonly error: string | undefined;
}

/** A connection with resolved references. */
export interface Definition {
  readonly type: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly secrets: readonly string[];
}

export interface NamedConnectionsParts {
  readonly store: DocumentStore;
  readonly types: ConnectionTypes;
  readonly connections: OpenConnections;
  readonly references: ReferenceSources;
  readonly log: Log;
  host(): Host;
  load<T>(clientPackage: ClientPackage): Promise<T>;
  /** The flows that use a connection. */
  usersOf(id: string): readonly string[];
  /** The flows of other nodes that use a connection. */
  readonly remoteUsers: (id: string) => Promise<readonly RemoteFlow[]>;
  /** Called when a connection becomes available. */
  becameAvailable(id: string): void;
}

export class NamedConnections {
  readonly #parts: NamedConnectionsParts;
  readonly #installed = new Map<string, NamedConnection>();
  readonly #defined = new Map<string, Definition>();
  readonly #mutex = createKeyedMutex();

  constructor(parts: NamedConnectionsParts) {
    this.#parts = parts;
  }

  list(): readonly NamedConnection[] {
    return [...this.#installed.values()].sort(byId);
  }

  /** The active definitions, for other workers. */
  definitions(): ReadonlyMap<string, Definition> {
    return this.#defined;
  }

  usersOf(id: string): readonly string[] {
    return this.#parts.usersOf(id);
  }

  read(id: string): NamedConnection {
    const connection = this.#installed.get(id);
    if (connection === undefined) throw notFound(noun, id);
    return connection;
  }

  install(id: string, input: unknown, precondition: Precondition, force: boolean): Promise<{ readonly installed: NamedConnection; readonly created: boolean }> {
    return this.#exclusively(id, async () => {
      rejectCaseConflict(noun, id, this.#installed);
      const current = this.#installed.get(id);
      checkPrecondition(`${noun} '${id}'`, precondition, current);
      const { document, definition, declaration } = await this.#resolve(id, input);
      this.#parts.store.check?.(id, document);
      if (!force) {
        const outcome = await this.#test(id, declaration, definition);
        if (!outcome.ok)
          throw new ServiceError(
            "connection-failed",
            oneSentence(`connection '${id}' failed: ${outcome.error}; ${outcome.hint}, or add ?force=true to save it anyway`),
          );
      }
      const { unflushed, ...stored } = await this.#parts.store.write(id, `${JSON.stringify(document, undefined, 2)}\n`).catch(throwStorageError);
      // The test just succeeded. If connecting fails now, the values are applied anyway and users retry, as for any connection that is down.
      await this.#activate(id, definition, force).catch(() => this.#activate(id, definition, true));
      const installed: NamedConnection = { id, document, error: undefined, ...stored };
      this.#installed.set(id, installed);
      this.#parts.becameAvailable(id);
      throwIfUnflushed(unflushed, "the new version is active, but may be lost");
      return { installed, created: current === undefined };
    });
  }

  remove(id: string, precondition: Precondition): Promise<void> {
    return this.#exclusively(id, async () => {
      const current = this.#installed.get(id);
      if (current === undefined) throw notFound(noun, id);
      checkPrecondition(`${noun} '${id}'`, precondition, current);
      await rejectIfUsed(noun, id, this.#parts.usersOf(id), this.#parts.remoteUsers);
      const { unflushed } = await this.#parts.store.remove(id).catch(throwStorageError);
      await this.#deactivate(id);
      throwIfUnflushed(unflushed, `connection '${id}' was removed, but may reappear`);
    });
  }

  /** Tests the document `input`; if it is undefined, the saved connection. */
  async test(id: string | undefined, input: unknown): Promise<TestOutcome> {
    const { definition, declaration } = await this.#resolve(id ?? "test", input ?? this.#documentOf(id));
    return this.#test(id ?? "test", declaration, definition);
  }

  /** Names that exist on the server. */
  async browse(id: string, what: string, prefix: string, limit: number): Promise<readonly string[]> {
    const { host, load } = this.#parts;
    const { definition, declaration } = await this.#resolve(id, this.#documentOf(id));
    const { browse, browses, cannotBrowse } = declaration;
    if (browse === undefined)
      throw new ServiceError(
        "document-invalid",
        `connection '${id}' of type '${definition.type}' cannot list names: ${cannotBrowse ?? "this type of connection does not support it; enter the name instead"}`,
      );
    if (browses?.includes(what) === false)
      throw new ServiceError("document-invalid", `connection '${id}' of type '${definition.type}' cannot list '${what}'; it can list ${browses.join(" and ")}`);
    try {
      const names = await withClient(declaration, this.#bindValues(id, declaration, definition), { host: host(), load }, (client) =>
        browse.call(declaration, client, what, prefix, limit),
      );
      return names.slice(0, limit);
    } catch (error) {
      throw new ServiceError("connection-failed", oneSentence(`connection '${id}' failed: ${scrubSecrets((error as Error).message, definition)}`));
    }
  }

  /** Loads the stored connections; an invalid one is listed with its error and does not affect the others. */
  async load(): Promise<void> {
    for (const stored of await this.#parts.store.list()) {
      const problem = await this.#apply(stored, () => undefined);
      if (problem !== undefined) this.#parts.log.write("ERROR", "sluice.connections", `Connection '${stored.id}' cannot be used: ${problem}`);
    }
  }

  /** Applies manual changes to documents and to the files and variables they reference. */
  async reload(): Promise<void> {
    const { store, log } = this.#parts;
    for (const { id, document } of this.list()) {
      const previous = this.#defined.get(id);
      if (document === undefined || previous === undefined) continue;
      await this.#exclusively(id, async () => {
        const definition = await this.#resolve(id, document).then(
          (resolved) => resolved.definition,
          () => previous,
        );
        if (JSON.stringify(definition) !== JSON.stringify(previous)) await this.#activate(id, definition, true);
      });
    }
    await reloadDocuments({
      store,
      log,
      noun,
      installed: this.#installed,
      exclusively: (id, work) => this.#exclusively(id, work),
      apply: (stored) => this.#apply(stored, (id) => this.#parts.becameAvailable(id)),
      logger: "sluice.connections",
      removed: (id) => this.#deactivate(id),
    });
  }

  /** Applies the document that another node stored. If this node cannot use it, returns the reason and the previous version stays active. */
  follow(id: string): Promise<string | undefined> {
    return this.#exclusively(id, async () => {
      const { store, log } = this.#parts;
      const stored = await store.read(id);
      const current = this.#installed.get(id);
      if (stored === undefined) {
        if (current === undefined) return undefined;
        // A flow whose new version failed on this node still uses the connection.
        const [user] = this.#parts.usersOf(id);
        if (user !== undefined) return `it was removed, but flow '${user}' still uses it on this node`;
        await this.#deactivate(id);
        log.write("INFO", "sluice.connections", `Removed connection '${id}': another node removed it`);
        return undefined;
      }
      if (current?.hash === stored.hash && current.error === undefined) return undefined;
      const problem = await this.#apply(stored, (availableId) => this.#parts.becameAvailable(availableId));
      if (problem === undefined) log.write("INFO", "sluice.connections", `Reloaded connection '${id}'`);
      else log.write("ERROR", "sluice.connections", `Cannot use connection '${id}': ${problem}`);
      return problem;
    });
  }

  async #test(id: string, declaration: ConnectionDeclaration, definition: Definition): Promise<TestOutcome> {
    const { host, load } = this.#parts;
    const outcome = await tryConnection(declaration, this.#bindValues(id, declaration, definition), { host: host(), load });
    return outcome.ok ? { ...outcome, server: scrubSecrets(outcome.server, definition) } : { ...outcome, error: scrubSecrets(outcome.error, definition) };
  }

  #exclusively<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(id.toLowerCase(), work);
  }

  #documentOf(id: string | undefined): ConnectionDocument {
    const connection = id === undefined ? undefined : this.read(id);
    if (connection?.document === undefined)
      throw new ServiceError("document-invalid", `connection '${id ?? ""}' cannot be used: ${connection?.error ?? "it is not defined"}`);
    return connection.document;
  }

  /** Validates a document and resolves its references. */
  async #resolve(id: string, input: unknown): Promise<{ document: ConnectionDocument; definition: Definition; declaration: ConnectionDeclaration }> {
    const { types, references } = this.#parts;
    const submitted = readDocument(id, input);
    const declaration = await types.load(submitted.type);
    if (declaration === undefined) {
      const names = types.details().map(({ type }) => type);
      throw new ServiceError(
        "document-invalid",
        `connection '${id}': unknown type '${submitted.type.slice(0, 60)}'; the types are ${names.toSorted().join(", ") || "none"}`,
      );
    }
    const document = toStoredDocument(submitted, declaration, this.#installed.get(id)?.document);
    const definition = { type: submitted.type, ...resolveValues(id, document, references) };
    this.#bindValues(id, declaration, definition);
    return { document, definition, declaration };
  }

  /** Parses the values according to the declaration; errors name the connection. */
  #bindValues(id: string, { fields }: ConnectionDeclaration, { values }: Definition): Readonly<Record<string, unknown>> {
    try {
      return bindFields(fields as Fields, values, `connection '${id}'`);
    } catch (error) {
      if (!isCompileError(error)) throw error;
      throw new ServiceError("document-invalid", oneSentence(error.message), undefined, error.code);
    }
  }

  async #activate(id: string, definition: Definition, force: boolean): Promise<void> {
    const { type, values, secrets } = definition;
    await this.#parts.connections.define(id, type, values, { force, secrets });
    this.#defined.set(id, definition);
  }

  async #deactivate(id: string): Promise<void> {
    this.#installed.delete(id);
    this.#defined.delete(id);
    await this.#parts.connections.undefine(id);
  }

  /** Activates a stored document. If it cannot be used, returns the reason and the previous version stays active. */
  async #apply(stored: StoredDocument | BrokenDocument, becameAvailable: (id: string) => void): Promise<string | undefined> {
    const { id, hash, lastModified } = stored;
    const previous = this.#installed.get(id)?.document;
    const reject = (error: string): string => {
      this.#installed.set(id, { id, hash, lastModified, document: previous, error });
      return error;
    };
    if ("problem" in stored) return reject(stored.problem);
    try {
      const { document, definition } = await this.#resolve(id, stored.value);
      await this.#activate(id, definition, true);
      this.#installed.set(id, { id, hash, lastModified, document, error: undefined });
      becameAvailable(id);
      return undefined;
    } catch (error) {
      return reject(oneSentence((error as Error).message));
    }
  }
}

/** Masks the secrets of a definition that is not registered yet: a server may repeat them in its error message. */
function scrubSecrets(text: string, { secrets }: Definition): string {
  const values = createSecretValues();
  values.set("connection", secrets);
  return values.scrub(text);
}
