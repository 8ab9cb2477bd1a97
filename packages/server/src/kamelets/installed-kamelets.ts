// The Kamelets of the runtime: listed from every place, and installed, replaced and removed in the data directory. A new version takes effect in
// all flows that use it, or in none.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { KameletFile, KameletFiles, Log } from "@sluice/engine";
import { createKeyedMutex } from "@sluice/engine/tools";
import { removeDurably, removeLeftovers, writeDurably } from "../flows/durable-file.ts";
import { hashOf } from "../flows/flow-hash.ts";
import { refuseProblems, warningsOf } from "../flows/flow-problems.ts";
import type { Unflushed } from "../flows/flow-store.ts";
import { claimsKey, decodeFlow, type FlowParts } from "../flows/installed-flows.ts";
import { asRefusal, refuseUnflushed } from "../flows/storage-refusal.ts";
import { systemClock } from "../host/clock.ts";
import { refuseChanged, type IfMatch } from "../mappings/installed-document.ts";
import { oneSentence, Refusal } from "../refusal.ts";
import { checkKamelet, type CheckedKamelet } from "./check-kamelet.ts";
import type { KameletPlace } from "./find-kamelet-folders.ts";
import { givenKamelets } from "./given-kamelets.ts";
import { KameletFactsCache, type KameletFacts } from "./kamelet-facts.ts";
import { kameletFolders } from "./kamelet-folders.ts";
import { affectedFlows, refusedFlows, reloadUsers, usersOf, type RefusedFlow } from "./kamelet-users.ts";

const noun = "Kamelet";
/** Files read without a pause while all Kamelets are listed. */
const readAtOnce = 5;

export interface KameletsParts {
  /** The first one is the folder of the data directory. */
  readonly places: readonly [KameletPlace, ...KameletPlace[]];
  readonly log: Log;
  /** Opened after this part. */
  flows(): FlowParts;
}

export interface KameletRequest {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly ifMatch: IfMatch;
  readonly dryRun: boolean;
  /** Installs it even if flows cannot use it; they keep running with the previous version. */
  readonly force: boolean;
  /** For a dry run: other Kamelets that are going to be installed with it, the text by name. */
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
  /** Undefined when the Kamelet is removed and no other place has one. */
  readonly next: KameletFile | undefined;
  readonly force: boolean;
}

export class InstalledKamelets {
  /** What flows are compiled with. */
  readonly files: KameletFiles;
  readonly #parts: KameletsParts;
  readonly #own: KameletPlace;
  readonly #facts: KameletFactsCache;
  readonly #mutex = createKeyedMutex();

  constructor(parts: KameletsParts) {
    this.#parts = parts;
    [this.#own] = parts.places;
    this.#facts = new KameletFactsCache(parts.places);
    this.files = kameletFolders(parts.places.map(({ folder }) => folder));
  }

  /** Creates the folder and removes temporary files of a crash. A read-only data directory can still be served. */
  async open(): Promise<void> {
    await mkdir(this.#own.folder, { recursive: true, mode: 0o750 }).catch(() => undefined);
    await removeLeftovers(this.#own.folder).catch(() => undefined);
  }

  async list(): Promise<readonly KameletFacts[]> {
    const found: KameletFacts[] = [];
    for (const [index, name] of this.files.names().entries()) {
      if (index % readAtOnce === readAtOnce - 1) await systemClock.yieldToEventLoop();
      const facts = this.#facts.find(name);
      if (facts !== undefined) found.push(facts);
    }
    return found;
  }

  find(name: string): KameletFacts | undefined {
    return this.#facts.find(name);
  }

  read(name: string): KameletFacts & { readonly text: string } {
    const facts = this.#facts.find(name);
    const file = facts === undefined ? undefined : this.files.find(name);
    if (facts === undefined || file === undefined) throw new Refusal("not-found", `Kamelet '${name}' not found`);
    return { ...facts, text: file.text };
  }

  usersOf(name: string): readonly string[] {
    return usersOf(this.#parts.flows(), name);
  }

  /** All problems of a Kamelet that is not installed. */
  check(name: string | undefined, bytes: Uint8Array, others: ReadonlyMap<string, string>): Promise<CheckedKamelet> {
    const text = textOf(bytes);
    return checkKamelet(this.#parts.flows(), {
      name,
      text,
      hash: hashOf(bytes),
      kamelets: this.withTexts(name === undefined ? others : new Map([...others, [name, text]])),
    });
  }

  /** The installed Kamelets with these texts instead. */
  withTexts(texts: ReadonlyMap<string, string>): KameletFiles {
    return givenKamelets(new Map([...texts].map(([name, text]) => [name, { file: this.#pathOf(name), text }])), this.files);
  }

  install(request: KameletRequest): Promise<KameletOutcome> {
    return this.#inTurn(async () => {
      const { name, bytes, ifMatch, dryRun, force, others } = request;
      this.#refuseOtherSpelling(name);
      const current = this.#facts.find(name);
      refuseChanged(noun, name, ifMatch, current === undefined ? undefined : { ...current, id: name });
      const { prepared, kamelet } = await this.check(name, bytes, others);
      refuseProblems(prepared);
      const text = textOf(bytes);
      const hash = hashOf(bytes);
      const next = { file: this.#pathOf(name), text };
      const previous = this.#ownText(name);
      const about = { name, type: kamelet?.type ?? "", title: kamelet?.title, hash, created: current === undefined, changed: previous !== text };
      const warnings = warningsOf(prepared);
      if (dryRun) {
        const affected = affectedFlows(this.#parts.flows(), name, text);
        const refused = await this.#refusedBy({ name, next, force }, affected, others);
        return { ...about, lastModified: current?.lastModified ?? 0, flows: this.usersOf(name), refused, warnings };
      }
      const { refused, unflushed } = await this.#replace({ name, next, force }, () => this.#write(name, previous === text ? undefined : bytes), previous);
      if (about.changed) this.#parts.log.write("INFO", "sluice.kamelets", `Installed Kamelet '${name}' (hash ${hash.slice(0, 12)})`);
      refuseUnflushed(unflushed, "the new version is active, but may be lost");
      return { ...about, lastModified: this.#facts.find(name)?.lastModified ?? 0, flows: this.usersOf(name), refused, warnings };
    });
  }

  /** Removes a Kamelet of the data directory. One of the same name in another place takes its place. */
  remove(name: string, ifMatch: IfMatch): Promise<void> {
    return this.#inTurn(async () => {
      const current = this.read(name);
      refuseChanged(noun, name, ifMatch, { ...current, id: name });
      const { origin, name: place } = current.place;
      if (origin !== "deployed") throw new Refusal("conflict", `Kamelet '${name}' is read from the ${origin} '${place}': remove it there`);
      const users = this.usersOf(name);
      const other = kameletFolders(this.#parts.places.slice(1).map(({ folder }) => folder)).find(name);
      if (other === undefined && users.length > 0)
        throw new Refusal("conflict", oneSentence(`Kamelet '${name}' is used by ${users.map((flow) => `flow '${flow}'`).join(", ")}`));
      const { unflushed } = await this.#replace({ name, next: other, force: false }, () => this.#write(name, null), current.text);
      this.#parts.log.write("INFO", "sluice.kamelets", `Removed Kamelet '${name}'`);
      refuseUnflushed(unflushed, `Kamelet '${name}' was removed, but may reappear`);
    });
  }

  /** Recompiles the flows whose Kamelets were changed by hand. */
  reload(): Promise<void> {
    return this.#inTurn(async () => {
      const flows = this.#parts.flows();
      const names = new Set([...flows.runtime.deployments.values()].flatMap(({ kamelets }) => [...kamelets.keys()]));
      const changed = [...names].flatMap((name) => affectedFlows(flows, name, this.files.find(name)?.text));
      const failed = [...flows.installed.values()].filter(({ error }) => error?.includes(`Kamelet '`) === true).map(({ id }) => id);
      await reloadUsers(flows, [...new Set([...changed, ...failed])]);
    });
  }

  /** Changes the file and the flows that use it. Without `force`, all of them or nothing. */
  async #replace(
    replacement: Replacement,
    write: () => Promise<Unflushed>,
    previous: string | undefined,
  ): Promise<{ readonly refused: readonly RefusedFlow[]; readonly unflushed: Unflushed }> {
    const { name, next, force } = replacement;
    const flows = this.#parts.flows();
    // Flows are compiled and deployed under this lock, so none is deployed with the previous version after the file has changed.
    const { unflushed, affected, failing } = await flows.mutex.run(claimsKey, async () => {
      const ids = affectedFlows(flows, name, next?.text);
      await this.#refusedBy(replacement, ids, new Map());
      const failed = new Set(ids.filter((id) => flows.installed.get(id)?.error !== undefined));
      return { unflushed: await write(), affected: ids, failing: failed };
    });
    const refused = (await reloadUsers(flows, affected)).filter(({ id }) => !failing.has(id));
    const [broken] = refused;
    if (broken === undefined || force) return { refused, unflushed };
    await this.#write(name, previous === undefined ? null : Buffer.from(previous));
    await reloadUsers(flows, affected);
    throw new Refusal(
      "flow-start-failed",
      oneSentence(`flow '${broken.id}' cannot use this version of Kamelet '${name}': ${broken.error}; nothing was changed`),
    );
  }

  /** The flows that cannot be deployed with the replacement; throws without `force`. */
  async #refusedBy({ name, next, force }: Replacement, ids: readonly string[], others: ReadonlyMap<string, string>): Promise<readonly RefusedFlow[]> {
    const files = new Map<string, KameletFile | undefined>([...others].map(([other, text]) => [other, { file: this.#pathOf(other), text }]));
    const refused = await refusedFlows(this.#parts.flows(), ids, givenKamelets(files.set(name, next), this.files));
    const [first] = refused;
    if (first === undefined || force) return refused;
    const more = refused.length === 1 ? "" : ` (and ${refused.length - 1} more flows)`;
    throw new Refusal("conflict", oneSentence(`flow '${first.id}' cannot use this version of Kamelet '${name}': ${first.error}${more}`));
  }

  /** Writes the file, removes it for null, and keeps it for undefined. */
  async #write(name: string, bytes: Uint8Array | null | undefined): Promise<Unflushed> {
    if (bytes === undefined) return undefined;
    const { folder } = this.#own;
    const others = await removeDurably(folder, `${name}.kamelet.yml`).catch(asRefusal);
    const unflushed =
      bytes === null
        ? (await removeDurably(folder, `${name}.kamelet.yaml`).catch(asRefusal)).unflushed
        : await writeDurably(folder, `${name}.kamelet.yaml`, bytes, 0o640).catch(asRefusal);
    this.#facts.forget(name);
    return unflushed ?? others.unflushed;
  }

  /** Some file systems are case-insensitive: two Kamelets must never share a file. */
  #refuseOtherSpelling(name: string): void {
    const other = kameletFolders([this.#own.folder])
      .names()
      .find((known) => known !== name && known.toLowerCase() === name.toLowerCase());
    if (other !== undefined) throw new Refusal("conflict", `Kamelet '${name}' differs from Kamelet '${other}' only in case`);
  }

  #ownText(name: string): string | undefined {
    return kameletFolders([this.#own.folder]).find(name)?.text;
  }

  #pathOf(name: string): string {
    return join(this.#own.folder, `${name}.kamelet.yaml`);
  }

  /** One change at a time: Kamelets use each other. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.run("kamelets", work);
  }
}

function textOf(bytes: Uint8Array): string {
  const text = decodeFlow(bytes);
  if (text === undefined) throw new Refusal("yaml-invalid", "invalid YAML at line 1, column 1: the text is not UTF-8");
  return text;
}
