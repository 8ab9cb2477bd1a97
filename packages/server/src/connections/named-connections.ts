// Connections defined by an operator: stored, validated, tested and activated.
import { bindFields } from "@sluice/engine";
import { isCompileError, type ClientNeed, type ConnectionDeclaration, type Host, type Log } from "@sluice/engine/spi";
import type { Fields } from "@sluice/model";
import { asRefusal, refuseUnflushed } from "../flows/storage-refusal.ts";
import { createKeyedMutex } from "@sluice/engine/tools";
import type { BrokenDocument, DocumentStore, StoredDocument } from "../mappings/document-store.ts";
import {
  byId,
  notFound,
  refuseChanged,
  refuseOtherSpelling,
  refuseUsed,
  type FlowElsewhere,
  type IfMatch,
  type DocumentVersion,
} from "../mappings/installed-document.ts";
import { reloadDocuments } from "../mappings/reload-documents.ts";
import { createSecretValues } from "../masking/secret-values.ts";
import { oneSentence, Refusal } from "../refusal.ts";
import { readDocument, resolvedValues, sealedDocument, type ConnectionDocument, type ReferenceSources } from "./connection-document.ts";
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
  load<T>(need: ClientNeed): Promise<T>;
  /** The flows that use a connection. */
  usersOf(id: string): readonly string[];
  /** The flows of other nodes that use a connection. */
  readonly usersElsewhere: (id: string) => Promise<readonly FlowElsewhere[]>;
  /** Called when a connection becomes available. */
  appeared(id: string): void;
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
    const found = this.#installed.get(id);
    if (found === undefined) throw notFound(noun, id);
    return found;
  }

  install(id: string, given: unknown, ifMatch: IfMatch, force: boolean): Promise<{ readonly installed: NamedConnection; readonly created: boolean }> {
    return this.#exclusively(id, async () => {
      refuseOtherSpelling(noun, id, this.#installed);
      const current = this.#installed.get(id);
      refuseChanged(noun, id, ifMatch, current);
      const { document, definition, declaration } = await this.#resolve(id, given);
      this.#parts.store.check?.(id, document);
      if (!force) {
        const outcome = await this.#try(id, declaration, definition);
        if (!outcome.ok)
          throw new Refusal(
            "connection-failed",
            oneSentence(`connection '${id}' failed: ${outcome.error}; ${outcome.hint}, or add ?force=true to save it anyway`),
          );
      }
      const { unflushed, ...stored } = await this.#parts.store.write(id, `${JSON.stringify(document, undefined, 2)}\n`).catch(asRefusal);
      // The test just succeeded, so a failure now is retried like that of any connection that is down.
      await this.#use(id, definition, force).catch(() => this.#use(id, definition, true));
      const installed: NamedConnection = { id, document, error: undefined, ...stored };
      this.#installed.set(id, installed);
      this.#parts.appeared(id);
      refuseUnflushed(unflushed, "the new version is active, but may be lost");
      return { installed, created: current === undefined };
    });
  }

  remove(id: string, ifMatch: IfMatch): Promise<void> {
    return this.#exclusively(id, async () => {
      const current = this.#installed.get(id);
      if (current === undefined) throw notFound(noun, id);
      refuseChanged(noun, id, ifMatch, current);
      await refuseUsed(noun, id, this.#parts.usersOf(id), this.#parts.usersElsewhere);
      const { unflushed } = await this.#parts.store.remove(id).catch(asRefusal);
      await this.#forget(id);
      refuseUnflushed(unflushed, `connection '${id}' was removed, but may reappear`);
    });
  }

  /** Tests the saved connection, or `given` instead. */
  async test(id: string | undefined, given: unknown): Promise<TestOutcome> {
    const { definition, declaration } = await this.#resolve(id ?? "test", given ?? this.#documentOf(id));
    return this.#try(id ?? "test", declaration, definition);
  }

  /** Names that exist on the server. */
  async browse(id: string, what: string, prefix: string, limit: number): Promise<readonly string[]> {
    const { host, load } = this.#parts;
    const { definition, declaration } = await this.#resolve(id, this.#documentOf(id));
    const { browse, browses, cannotBrowse } = declaration;
    if (browse === undefined)
      throw new Refusal(
        "document-invalid",
        `connection '${id}' of type '${definition.type}' cannot list names: ${cannotBrowse ?? "this type of connection does not support it; enter the name instead"}`,
      );
    if (browses?.includes(what) === false)
      throw new Refusal("document-invalid", `connection '${id}' of type '${definition.type}' cannot list '${what}'; it can list ${browses.join(" and ")}`);
    try {
      const names = await withClient(declaration, this.#bound(id, declaration, definition), { host: host(), load }, (client) =>
        browse.call(declaration, client, what, prefix, limit),
      );
      return names.slice(0, limit);
    } catch (thrown) {
      throw new Refusal("connection-failed", oneSentence(`connection '${id}' failed: ${scrubbed((thrown as Error).message, definition)}`));
    }
  }

  /** Loads the stored connections; an invalid one is listed with its error and does not affect the others. */
  async load(): Promise<void> {
    for (const found of await this.#parts.store.list()) {
      const problem = await this.#apply(found, () => undefined);
      if (problem !== undefined) this.#parts.log.write("ERROR", "sluice.connections", `Connection '${found.id}' cannot be used: ${problem}`);
    }
  }

  /** Applies manual changes to documents and to the files and variables they reference. */
  async reload(): Promise<void> {
    const { store, log } = this.#parts;
    for (const { id, document } of this.list()) {
      const before = this.#defined.get(id);
      if (document === undefined || before === undefined) continue;
      await this.#exclusively(id, async () => {
        const definition = await this.#resolve(id, document).then(
          ({ definition: now }) => now,
          () => before,
        );
        if (JSON.stringify(definition) !== JSON.stringify(before)) await this.#use(id, definition, true);
      });
    }
    await reloadDocuments({
      store,
      log,
      noun,
      installed: this.#installed,
      exclusively: (id, work) => this.#exclusively(id, work),
      apply: (found) => this.#apply(found, (id) => this.#parts.appeared(id)),
      logger: "sluice.connections",
      removed: (id) => void this.#forget(id),
    });
  }

  /** Applies the document that another node stored. Returns why this node cannot use it; the previous version then stays active. */
  follow(id: string): Promise<string | undefined> {
    return this.#exclusively(id, async () => {
      const { store, log } = this.#parts;
      const found = await store.read(id);
      const known = this.#installed.get(id);
      if (found === undefined) {
        if (known === undefined) return undefined;
        // A flow that could not be replaced here keeps running with it.
        const [user] = this.#parts.usersOf(id);
        if (user !== undefined) return `it was removed, but flow '${user}' still uses it on this node`;
        await this.#forget(id);
        log.write("INFO", "sluice.connections", `Removed connection '${id}': another node removed it`);
        return undefined;
      }
      if (known?.hash === found.hash && known.error === undefined) return undefined;
      const problem = await this.#apply(found, (appeared) => this.#parts.appeared(appeared));
      if (problem === undefined) log.write("INFO", "sluice.connections", `Reloaded connection '${id}'`);
      else log.write("ERROR", "sluice.connections", `Cannot use connection '${id}': ${problem}`);
      return problem;
    });
  }

  async #try(id: string, declaration: ConnectionDeclaration, definition: Definition): Promise<TestOutcome> {
    const { host, load } = this.#parts;
    const outcome = await tryConnection(declaration, this.#bound(id, declaration, definition), { host: host(), load });
    return outcome.ok ? { ...outcome, server: scrubbed(outcome.server, definition) } : { ...outcome, error: scrubbed(outcome.error, definition) };
  }

  #exclusively<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(id.toLowerCase(), work);
  }

  #documentOf(id: string | undefined): ConnectionDocument {
    const found = id === undefined ? undefined : this.read(id);
    if (found?.document === undefined) throw new Refusal("document-invalid", `connection '${id ?? ""}' cannot be used: ${found?.error ?? "it is not defined"}`);
    return found.document;
  }

  /** Validates a document and resolves its references. */
  async #resolve(id: string, given: unknown): Promise<{ document: ConnectionDocument; definition: Definition; declaration: ConnectionDeclaration }> {
    const { types, references } = this.#parts;
    const read = readDocument(id, given);
    const declaration = await types.load(read.type);
    if (declaration === undefined) {
      const known = types.facts().map(({ type }) => type);
      throw new Refusal(
        "document-invalid",
        `connection '${id}': unknown type '${read.type.slice(0, 60)}'; the types are ${known.toSorted().join(", ") || "none"}`,
      );
    }
    const document = sealedDocument(read, declaration, this.#installed.get(id)?.document);
    const definition = { type: read.type, ...resolvedValues(id, document, references) };
    this.#bound(id, declaration, definition);
    return { document, definition, declaration };
  }

  /** The values parsed by the declaration; errors are reported for the document. */
  #bound(id: string, { fields }: ConnectionDeclaration, { values }: Definition): Readonly<Record<string, unknown>> {
    try {
      return bindFields(fields as Fields, values, `connection '${id}'`);
    } catch (thrown) {
      if (!isCompileError(thrown)) throw thrown;
      throw new Refusal("document-invalid", oneSentence(thrown.message));
    }
  }

  async #use(id: string, definition: Definition, force: boolean): Promise<void> {
    const { type, values, secrets } = definition;
    await this.#parts.connections.define(id, type, values, { force, secrets });
    this.#defined.set(id, definition);
  }

  async #forget(id: string): Promise<void> {
    this.#installed.delete(id);
    this.#defined.delete(id);
    await this.#parts.connections.undefine(id);
  }

  /** Activates a stored document. Returns why it cannot be used; the previous version then stays active. */
  async #apply(found: StoredDocument | BrokenDocument, appeared: (id: string) => void): Promise<string | undefined> {
    const { id, hash, lastModified } = found;
    const before = this.#installed.get(id)?.document;
    const broken = (error: string): string => {
      this.#installed.set(id, { id, hash, lastModified, document: before, error });
      return error;
    };
    if ("problem" in found) return broken(found.problem);
    try {
      const { document, definition } = await this.#resolve(id, found.value);
      await this.#use(id, definition, true);
      this.#installed.set(id, { id, hash, lastModified, document, error: undefined });
      appeared(id);
      return undefined;
    } catch (thrown) {
      return broken(oneSentence((thrown as Error).message));
    }
  }
}

/** Servers may repeat rejected secrets. Unsaved ones are not registered as secrets yet. */
function scrubbed(text: string, { secrets }: Definition): string {
  const known = createSecretValues();
  known.set("connection", secrets);
  return known.scrub(text);
}
