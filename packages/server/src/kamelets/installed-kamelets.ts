// The Kamelets of the runtime: listed from all locations; installed, replaced and removed in the store of deployed Kamelets. A new version
// takes effect in all flows that use it, or in none.
import type { KameletFile, KameletFiles, Log } from "@sluice/engine";
import { createKeyedMutex } from "@sluice/engine/tools";
import { hashOf } from "../flows/flow-hash.ts";
import { assertDeployable, warningsOf } from "../flows/flow-problems.ts";
import type { Unflushed } from "../flows/flow-store.ts";
import { claimsKey, decodeFlow, type FlowParts } from "../flows/installed-flows.ts";
import { throwStorageError, throwIfUnflushed } from "../flows/storage-errors.ts";
import { systemClock } from "../host/clock.ts";
import { rejectIfUsed, type RemoteFlow } from "../mappings/installed-document.ts";
import { checkPrecondition, type Precondition } from "../precondition.ts";
import { oneSentence, ServiceError } from "../service-error.ts";
import { checkKamelet, type CheckedKamelet } from "./check-kamelet.ts";
import type { KameletFolder } from "./find-kamelet-folders.ts";
import { overrideKamelets } from "./kamelet-overrides.ts";
import { KameletMetadataCache, type KameletMetadata } from "./kamelet-metadata.ts";
import { kameletFolders } from "./kamelet-folders.ts";
import type { KameletStore } from "./kamelet-store.ts";
import { affectedFlows, refusedFlows, reloadUsers, usersOf, type RefusedFlow } from "./kamelet-users.ts";

const noun = "Kamelet";
/** Number of files read per turn of the event loop. */
const filesPerTurn = 5;

export interface KameletsParts {
  /** Stores the deployed Kamelets. */
  readonly store: KameletStore;
  /** The folders and packages of the other Kamelets, in search order. */
  readonly folders: readonly KameletFolder[];
  readonly log: Log;
  /** The flows of other nodes that use a Kamelet. */
  readonly remoteUsers: (name: string) => Promise<readonly RemoteFlow[]>;
  /** A function, because the flows are opened after this part. */
  flows(): FlowParts;
}

export interface KameletRequest {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly precondition: Precondition;
  readonly dryRun: boolean;
  /** Installs it even if flows cannot use it; these flows keep running with the previous version. */
  readonly force: boolean;
  /** For a dry run: other Kamelets that will be installed with it; the text by name. */
  readonly others: ReadonlyMap<string, string>;
}

export interface KameletOutcome {
  readonly name: string;
  readonly type: string;
  readonly title: string | undefined;
  readonly hash: string;
  readonly lastModified: number;
  readonly created: boolean;
  /** False when the file is unchanged. */
  readonly changed: boolean;
  /** The flows that use it. */
  readonly flows: readonly string[];
  /** The flows that keep the previous version because they cannot be deployed with this one. */
  readonly refused: readonly RefusedFlow[];
  readonly warnings: readonly string[];
}

interface Replacement {
  readonly name: string;
  /** Undefined when the Kamelet is removed and no folder or package has one of this name. */
  readonly next: KameletFile | undefined;
  readonly force: boolean;
}

export class InstalledKamelets {
  /** The Kamelets that flows are compiled with. */
  readonly files: KameletFiles;
  readonly #parts: KameletsParts;
  readonly #others: KameletFiles;
  readonly #otherMetadata: KameletMetadataCache;
  readonly #mutex = createKeyedMutex();

  constructor(parts: KameletsParts) {
    this.#parts = parts;
    const { store, folders } = parts;
    const others = kameletFolders(folders.map(({ folder }) => folder));
    this.#others = others;
    this.#otherMetadata = new KameletMetadataCache(folders);
    this.files = {
      find: (name) => store.find(name) ?? others.find(name),
      names: () => [...new Set([...store.names(), ...others.names()])].sort(),
    };
  }

  async list(): Promise<readonly KameletMetadata[]> {
    const kamelets: KameletMetadata[] = [];
    for (const [index, name] of this.files.names().entries()) {
      if (index % filesPerTurn === filesPerTurn - 1) await systemClock.yieldToEventLoop();
      const metadata = this.find(name);
      if (metadata !== undefined) kamelets.push(metadata);
    }
    return kamelets;
  }

  find(name: string): KameletMetadata | undefined {
    return this.#parts.store.metadata(name) ?? this.#otherMetadata.find(name);
  }

  read(name: string): KameletMetadata & { readonly text: string } {
    const metadata = this.find(name);
    const file = metadata === undefined ? undefined : this.files.find(name);
    if (metadata === undefined || file === undefined) throw new ServiceError("not-found", `Kamelet '${name}' not found`);
    return { ...metadata, text: file.text };
  }

  usersOf(name: string): readonly string[] {
    return usersOf(this.#parts.flows(), name);
  }

  /** Finds all problems of a Kamelet without installing it. */
  check(name: string | undefined, bytes: Uint8Array, others: ReadonlyMap<string, string>): Promise<CheckedKamelet> {
    const text = textOf(bytes);
    return checkKamelet(this.#parts.flows(), {
      name,
      text,
      hash: hashOf(bytes),
      kamelets: this.withTexts(name === undefined ? others : new Map([...others, [name, text]])),
    });
  }

  /** The installed Kamelets and these texts, which take precedence. */
  withTexts(texts: ReadonlyMap<string, string>): KameletFiles {
    return overrideKamelets(new Map([...texts].map(([name, text]) => [name, { file: this.#parts.store.pathOf(name), text }])), this.files);
  }

  install(request: KameletRequest): Promise<KameletOutcome> {
    return this.#exclusively(async () => {
      const { name, bytes, precondition, dryRun, force, others } = request;
      const { store } = this.#parts;
      this.#rejectCaseConflict(name);
      const current = this.find(name);
      checkPrecondition(`${noun} '${name}'`, precondition, current);
      const { prepared, kamelet } = await this.check(name, bytes, others);
      assertDeployable(prepared);
      const text = textOf(bytes);
      const hash = hashOf(bytes);
      const next = { file: this.#parts.store.pathOf(name), text };
      const previous = store.find(name)?.text;
      const metadata = { name, type: kamelet?.type ?? "", title: kamelet?.title, hash, created: current === undefined, changed: previous !== text };
      const warnings = warningsOf(prepared);
      if (dryRun) {
        const affected = affectedFlows(this.#parts.flows(), name, text);
        const refused = await this.#refusedBy({ name, next, force }, affected, others);
        return { ...metadata, lastModified: current?.lastModified ?? 0, flows: this.usersOf(name), refused, warnings };
      }
      const write = async (): Promise<Unflushed> => (metadata.changed ? store.write(name, bytes).catch(throwStorageError) : undefined);
      const { refused, unflushed } = await this.#replace({ name, next, force }, write);
      if (metadata.changed) this.#parts.log.write("INFO", "sluice.kamelets", `Installed Kamelet '${name}' (hash ${hash.slice(0, 12)})`);
      throwIfUnflushed(unflushed, "the new version is active, but may be lost");
      return { ...metadata, lastModified: this.find(name)?.lastModified ?? 0, flows: this.usersOf(name), refused, warnings };
    });
  }

  /** Removes a deployed Kamelet. A Kamelet of the same name in a folder or package is used instead from then on. */
  remove(name: string, precondition: Precondition): Promise<void> {
    return this.#exclusively(async () => {
      const { store, log } = this.#parts;
      const current = this.read(name);
      checkPrecondition(`${noun} '${name}'`, precondition, current);
      const { origin, name: place } = current.place;
      if (origin !== "deployed") throw new ServiceError("conflict", `Kamelet '${name}' is read from the ${origin} '${place}': remove it there`);
      const other = this.#others.find(name);
      if (other === undefined) await rejectIfUsed(noun, name, this.usersOf(name), this.#parts.remoteUsers);
      const { unflushed } = await this.#replace({ name, next: other, force: false }, () => store.remove(name).catch(throwStorageError));
      log.write("INFO", "sluice.kamelets", `Removed Kamelet '${name}'`);
      throwIfUnflushed(unflushed, `Kamelet '${name}' was removed, but may reappear`);
    });
  }

  /** Applies the Kamelet that another node stored. If a flow cannot use it, returns the reason and the flow keeps the previous version. */
  follow(name: string): Promise<string | undefined> {
    return this.#exclusively(async () => {
      const flows = this.#parts.flows();
      const { log, store } = this.#parts;
      const [refused] = await reloadUsers(flows, affectedFlows(flows, name, this.files.find(name)?.text));
      const isRemoved = store.find(name) === undefined;
      log.write("INFO", "sluice.kamelets", isRemoved ? `Removed Kamelet '${name}': another node removed it` : `Reloaded Kamelet '${name}'`);
      return refused === undefined ? undefined : `flow '${refused.id}' cannot use this version: ${refused.error}`;
    });
  }

  /** Recompiles the flows whose Kamelets were changed by hand. */
  reload(): Promise<void> {
    return this.#exclusively(async () => {
      const flows = this.#parts.flows();
      const names = new Set([...flows.runtime.deployments.values()].flatMap(({ kamelets }) => [...kamelets.keys()]));
      const changed = [...names].flatMap((name) => affectedFlows(flows, name, this.files.find(name)?.text));
      const failed = [...flows.installed.values()].filter(({ error }) => error?.includes(`Kamelet '`) === true).map(({ id }) => id);
      await reloadUsers(flows, [...new Set([...changed, ...failed])]);
    });
  }

  /** Redeploys the flows that use the Kamelet, with the replacement, then changes the file. Without `force`, either all flows are redeployed or none. */
  async #replace(
    replacement: Replacement,
    write: () => Promise<Unflushed>,
  ): Promise<{ readonly refused: readonly RefusedFlow[]; readonly unflushed: Unflushed }> {
    const { name, next, force } = replacement;
    const flows = this.#parts.flows();
    const affected = affectedFlows(flows, name, next?.text);
    await this.#refusedBy(replacement, affected, new Map());
    await this.#parts.store.assertWritable();
    const failing = new Set(affected.filter((id) => flows.installed.get(id)?.error !== undefined));
    const refused = (await reloadUsers(flows, affected, overrideKamelets(new Map([[name, next]]), this.files))).filter(({ id }) => !failing.has(id));
    try {
      const [first] = refused;
      if (first !== undefined && !force)
        throw new ServiceError(
          "flow-start-failed",
          oneSentence(`flow '${first.id}' cannot use this version of Kamelet '${name}': ${first.error}; nothing was changed`),
        );
      // Flows are compiled and deployed under this lock, so none is deployed with the previous version after the file has changed.
      const { unflushed, deployedMeanwhile } = await flows.mutex.run(claimsKey, async () => {
        const added = affectedFlows(flows, name, next?.text).filter((id) => !affected.includes(id));
        await this.#refusedBy(replacement, added, new Map());
        return { unflushed: await write(), deployedMeanwhile: added };
      });
      return { refused: [...refused, ...(await reloadUsers(flows, deployedMeanwhile))], unflushed };
    } catch (error) {
      await reloadUsers(flows, affectedFlows(flows, name, this.files.find(name)?.text));
      throw error;
    }
  }

  /** The flows that cannot be deployed with the replacement; throws without `force`. */
  async #refusedBy({ name, next, force }: Replacement, ids: readonly string[], others: ReadonlyMap<string, string>): Promise<readonly RefusedFlow[]> {
    const files = new Map<string, KameletFile | undefined>([...others].map(([other, text]) => [other, { file: this.#parts.store.pathOf(other), text }]));
    const refused = await refusedFlows(this.#parts.flows(), ids, overrideKamelets(files.set(name, next), this.files));
    const [first] = refused;
    if (first === undefined || force) return refused;
    const more = refused.length === 1 ? "" : ` (and ${refused.length - 1} more ${refused.length === 2 ? "flow" : "flows"})`;
    throw new ServiceError("conflict", oneSentence(`flow '${first.id}' cannot use this version of Kamelet '${name}': ${first.error}${more}`));
  }

  /** Rejects names that differ only in case, which would share a file on case-insensitive file systems. */
  #rejectCaseConflict(name: string): void {
    const other = this.#parts.store.names().find((stored) => stored !== name && stored.toLowerCase() === name.toLowerCase());
    if (other !== undefined) throw new ServiceError("conflict", `Kamelet '${name}' differs from Kamelet '${other}' only in case`);
  }

  /** Runs one change at a time, because Kamelets can use each other. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.run("kamelets", work);
  }
}

function textOf(bytes: Uint8Array): string {
  const text = decodeFlow(bytes);
  if (text === undefined) throw new ServiceError("yaml-invalid", "invalid YAML at line 1, column 1: the text is not UTF-8");
  return text;
}
