// The policies in force, by flow. A change is on disk before it holds, and holds before it is reported; between the two
// there is one assignment, so every request meets the old policy or the new one and never neither.
import { StorageError } from "../flows/flow-store.ts";
import { createTurns } from "../flows/turns.ts";
import type { AccessCheck } from "../http/access.ts";
import { Refusal } from "../refusal.ts";
import { compilePolicy, type CompiledPolicy, type CompileParts } from "./compile-policy.ts";
import type { Policy } from "./policy-document.ts";
import { policyHash, PolicyStore, type BrokenPolicy, type StoredPolicy } from "./policy-store.ts";
import { policyWarnings, secretsOf } from "./policy-warnings.ts";
import { readPolicy } from "./read-policy.ts";
import { sealPolicy } from "./seal-policy.ts";

export interface PoliciesParts extends CompileParts {
  readonly directory: string;
  /** What webhooks without a policy meet. */
  otherwise(flowId: string): AccessCheck | undefined;
  isInstalled(flowId: string): boolean;
  /** Told the secrets to keep out of logs. */
  hide(owner: string, values: readonly string[]): void;
  warn(text: string): void;
  /** Told what went well. */
  note(text: string): void;
}

interface InForce {
  readonly check: AccessCheck;
  readonly stored: StoredPolicy | BrokenPolicy;
  /** Undefined for one that cannot be read. */
  readonly compiled: CompiledPolicy | undefined;
}

export interface InstalledPolicy {
  readonly created: boolean;
  readonly stored: StoredPolicy;
  readonly warnings: readonly string[];
}

export type IfMatch = readonly string[] | undefined;

/** A policy that cannot be read lets nobody in. */
const closed: AccessCheck = { check: () => ({ kind: "refused", status: 503, error: "the access policy of this route cannot be read" }) };

export class Policies {
  readonly #parts: PoliciesParts;
  /** Undefined where another process keeps them. */
  readonly #kept: PolicyStore | undefined;
  readonly #inForce = new Map<string, InForce>();
  readonly #turns = createTurns();

  private constructor(parts: PoliciesParts, store: PolicyStore | undefined) {
    this.#parts = parts;
    this.#kept = store;
  }

  /** Policies that another process keeps and hands over with `adopt`. */
  static following(parts: PoliciesParts): Policies {
    return new Policies(parts, undefined);
  }

  /** Brings the policies of the directory into force. */
  static async open(parts: PoliciesParts): Promise<Policies> {
    const store = await PolicyStore.open(parts.directory);
    const policies = new Policies(parts, store);
    for (const [flowId, stored] of await store.load()) {
      policies.#enforce(flowId, stored);
      if ("problem" in stored) parts.warn(`the access policy of flow '${flowId}' is not usable, its webhooks answer 503: ${stored.problem}`);
    }
    return policies;
  }

  /** Takes over what was changed by hand in the directory; a file that is wrong leaves the policy before in force. */
  reload(): Promise<void> {
    return this.#turns.take("", async () => {
      const found = await this.#store.load();
      for (const [flowId, stored] of found) {
        const before = this.#inForce.get(flowId)?.stored;
        if ("problem" in stored) {
          if (before !== undefined && "problem" in before && before.problem === stored.problem) continue;
          if (before === undefined) this.#enforce(flowId, stored);
          this.#parts.warn(`the access policy of flow '${flowId}' was not reloaded: ${stored.problem}`);
        } else if (before === undefined || "problem" in before || before.hash !== stored.hash) {
          this.#enforce(flowId, stored);
          this.#parts.note(`the access policy of flow '${flowId}' was reloaded`);
        }
      }
      for (const flowId of this.#inForce.keys()) {
        if (found.has(flowId)) continue;
        this.#inForce.delete(flowId);
        this.#parts.hide(ownerOf(flowId), []);
        this.#parts.warn(`the access policy of flow '${flowId}' was removed with its file`);
      }
    });
  }

  /** Takes over a policy that another process has installed, or its removal. */
  adopt(flowId: string, stored: StoredPolicy | BrokenPolicy | undefined): void {
    if (stored !== undefined) this.#enforce(flowId, stored);
    else if (this.#inForce.delete(flowId)) this.#parts.hide(ownerOf(flowId), []);
  }

  /** Another process has counted too many wrong credentials from this source: it is to be asked for a while. */
  distrust(source: string): void {
    this.#parts.guesses.empty(source);
  }

  /** True when calls of this flow's webhooks are counted, which only one process can do. */
  isCounted(flowId: string): boolean {
    return this.#inForce.get(flowId)?.compiled?.isCounted === true;
  }

  get #store(): PolicyStore {
    if (this.#kept === undefined) throw new Error("access policies are kept by another process");
    return this.#kept;
  }

  readonly accessOf = (flowId: string): AccessCheck | undefined => {
    const inForce = this.#inForce.get(flowId);
    return inForce === undefined ? this.#parts.otherwise(flowId) : inForce.check;
  };

  has(flowId: string): boolean {
    return this.#inForce.has(flowId);
  }

  list(): readonly (readonly [flowId: string, stored: StoredPolicy | BrokenPolicy])[] {
    return [...this.#inForce].map(([flowId, { stored }]) => [flowId, stored] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Those that cannot be read. */
  broken(): readonly { readonly flowId: string; readonly problem: string }[] {
    return this.list().flatMap(([flowId, stored]) => ("problem" in stored ? [{ flowId, problem: stored.problem }] : []));
  }

  read(flowId: string): StoredPolicy {
    const stored = this.#inForce.get(flowId)?.stored;
    if (stored === undefined) throw notFound(flowId);
    if ("problem" in stored)
      throw new Refusal("storage-refused", `access policy for flow '${flowId}' cannot be read: ${stored.problem}; install it again or delete it`);
    return stored;
  }

  install(flowId: string, given: unknown, ifMatch: IfMatch): Promise<InstalledPolicy> {
    // One turn for all: two spellings of one file name must not pass each other.
    return this.#turns.take("", async () => {
      const known = this.#inForce.get(flowId)?.stored;
      this.#refuseChanged(flowId, ifMatch);
      const other = [...this.#inForce.keys()].find((id) => id !== flowId && id.toLowerCase() === flowId.toLowerCase());
      if (other !== undefined)
        throw new Refusal("conflict", `an access policy for flow '${other}' is already installed, and the ids differ in letter case only`);
      const before = known === undefined || "problem" in known ? undefined : known;
      const { policy: read, problems } = readPolicy(given, before?.policy);
      if (problems.length > 0) throw new Refusal("document-invalid", `access policy '${flowId}': ${sentenceOf(problems)}`);
      const policy = await sealPolicy(read, before?.policy);
      const stored = before?.hash === policyHash(policy) ? before : await this.#keep(flowId, policy);
      if (stored !== before) this.#enforce(flowId, stored);
      return { created: known === undefined, stored, warnings: this.#warnings(flowId, policy) };
    });
  }

  remove(flowId: string, ifMatch: IfMatch): Promise<void> {
    return this.#turns.take("", async () => {
      if (!this.#inForce.has(flowId)) throw notFound(flowId);
      this.#refuseChanged(flowId, ifMatch);
      await this.#store.remove(flowId).catch(refuseStorage);
      this.#inForce.delete(flowId);
      this.#parts.hide(ownerOf(flowId), []);
    });
  }

  async #keep(flowId: string, policy: Policy): Promise<StoredPolicy> {
    return this.#store.write(flowId, policy, this.#parts.now()).catch(refuseStorage);
  }

  #enforce(flowId: string, stored: StoredPolicy | BrokenPolicy): void {
    if ("problem" in stored) {
      this.#inForce.set(flowId, { check: closed, stored, compiled: undefined });
      return;
    }
    const compiled = compilePolicy(flowId, stored.policy, this.#parts, this.#inForce.get(flowId)?.compiled);
    this.#parts.hide(ownerOf(flowId), this.#knownSecrets(stored.policy));
    this.#inForce.set(flowId, { check: compiled.check, stored, compiled });
  }

  /** Those we know by value: signing secrets, and what variables hold. */
  #knownSecrets(policy: Policy): readonly string[] {
    return (policy.authenticate ?? []).flatMap(secretsOf).flatMap(([, secret]) => {
      const value = "env" in secret ? this.#parts.variable(secret.env as string) : "value" in secret ? (secret.value as string) : undefined;
      return value === undefined ? [] : [value];
    });
  }

  #warnings(flowId: string, policy: Policy): readonly string[] {
    const missing = this.#parts.isInstalled(flowId) ? [] : [`flow '${flowId}' is not installed yet`];
    return [...missing, ...policyWarnings(policy, this.#parts.variable, this.#parts.now())];
  }

  #refuseChanged(flowId: string, ifMatch: IfMatch): void {
    if (ifMatch === undefined) return;
    const stored = this.#inForce.get(flowId)?.stored;
    if (stored !== undefined && (ifMatch.includes("*") || ("hash" in stored && ifMatch.includes(stored.hash)))) return;
    throw new Refusal("changed", `access policy for flow '${flowId}' changed since hash ${ifMatch.join(", ").slice(0, 100)}`);
  }
}

const ownerOf = (flowId: string): string => `policy ${flowId}`;
const notFound = (flowId: string): Refusal => new Refusal("not-found", `access policy for flow '${flowId}' not found`);

const namedProblems = 3;

function sentenceOf(problems: readonly string[]): string {
  const more = problems.length - namedProblems;
  return problems.slice(0, namedProblems).join("; ") + (more > 0 ? `; and ${more} more` : "");
}

function refuseStorage(error: unknown): never {
  throw error instanceof StorageError ? new Refusal(error.kind === "full" ? "storage-full" : "storage-refused", error.message) : error;
}
