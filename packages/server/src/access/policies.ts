// The active policies by flow. A change is activated after it is stored. Activation is one assignment, so every request is checked by either
// the old or the new policy.
import { throwStorageError, throwIfUnflushed } from "../flows/storage-errors.ts";
import { createKeyedMutex } from "@sluice/engine/tools";
import type { AccessCheck } from "../http/access.ts";
import { ServiceError } from "../service-error.ts";
import { checkPrecondition, type Precondition } from "../precondition.ts";
import { compilePolicy, type CompiledPolicy, type CompileParts } from "./compile-policy.ts";
import type { Policy } from "./policy-document.ts";
import { DiskPolicyStore, policyHash, type BrokenPolicy, type PolicyStore, type StoredPolicy } from "./policy-store.ts";
import { policyWarnings, secretsOf } from "./policy-warnings.ts";
import { readPolicy } from "./read-policy.ts";
import { hashPasswords } from "./hash-passwords.ts";

export interface PoliciesParts extends CompileParts {
  readonly directory: string;
  /** Used instead of the directory, in a cluster. */
  readonly store?: PolicyStore | undefined;
  /** The check for webhooks without a policy. */
  defaultCheck(flowId: string): AccessCheck | undefined;
  isInstalled(flowId: string): boolean;
  /** Registers secrets to be masked in logs. */
  registerSecrets(owner: string, values: readonly string[]): void;
  /** Logs a policy that cannot be used, or that was lost. */
  error(text: string): void;
  /** Logs successful changes. */
  info(text: string): void;
}

interface ActivePolicy {
  readonly check: AccessCheck;
  readonly stored: StoredPolicy | BrokenPolicy;
  /** Undefined when the policy cannot be read. */
  readonly compiled: CompiledPolicy | undefined;
}

export interface InstalledPolicy {
  readonly created: boolean;
  readonly stored: StoredPolicy;
  readonly warnings: readonly string[];
}

/** A policy that cannot be read denies all access. */
const denyUnreadable: AccessCheck = { check: () => ({ kind: "denied", code: "policy-unreadable", message: "the access policy of this route cannot be read" }) };

export class Policies {
  readonly #parts: PoliciesParts;
  /** Undefined when another process stores the policies. */
  readonly #policyStore: PolicyStore | undefined;
  readonly #active = new Map<string, ActivePolicy>();
  readonly #mutex = createKeyedMutex();

  private constructor(parts: PoliciesParts, store: PolicyStore | undefined) {
    this.#parts = parts;
    this.#policyStore = store;
  }

  /** Policies stored by another process and replicated with `adopt`. */
  static following(parts: PoliciesParts): Policies {
    return new Policies(parts, undefined);
  }

  /** Loads and activates the stored policies. */
  static async open(parts: PoliciesParts): Promise<Policies> {
    const store = parts.store ?? (await DiskPolicyStore.open(parts.directory));
    const policies = new Policies(parts, store);
    for (const [flowId, stored] of await store.load()) {
      policies.#enforce(flowId, stored);
      if ("problem" in stored) parts.error(unusable(flowId, stored));
    }
    return policies;
  }

  /** Reloads files changed by hand; an invalid file leaves the previous policy active. */
  reload(): Promise<void> {
    return this.#mutex.run("", async () => {
      const loaded = await this.#store.load();
      for (const [flowId, stored] of loaded) {
        const previous = this.#active.get(flowId)?.stored;
        if ("problem" in stored) {
          if (previous !== undefined && "problem" in previous && previous.problem === stored.problem) continue;
          if (previous === undefined) this.#enforce(flowId, stored);
          if (previous === undefined || "problem" in previous) this.#parts.error(unusable(flowId, stored));
          else this.#parts.error(`Did not reload the access policy of flow '${flowId}'; the previous policy stays active: ${stored.problem}`);
        } else if (previous === undefined || "problem" in previous || previous.hash !== stored.hash) {
          this.#enforce(flowId, stored);
          this.#parts.info(`Reloaded the access policy of flow '${flowId}'`);
        }
      }
      for (const flowId of this.#active.keys()) {
        if (loaded.has(flowId)) continue;
        this.#active.delete(flowId);
        this.#parts.registerSecrets(ownerOf(flowId), []);
        const { removalReason } = this.#store;
        if (removalReason === undefined) this.#parts.error(`Removed the access policy of flow '${flowId}' because its file was deleted`);
        else this.#parts.info(`Removed the access policy of flow '${flowId}' because ${removalReason}`);
      }
    });
  }

  /** Applies a policy change made by another process. */
  adopt(flowId: string, stored: StoredPolicy | BrokenPolicy | undefined): void {
    if (stored !== undefined) this.#enforce(flowId, stored);
    else if (this.#active.delete(flowId)) this.#parts.registerSecrets(ownerOf(flowId), []);
  }

  /** Blocks a source that sent too many wrong credentials to another process. */
  blockSource(source: string): void {
    this.#parts.failedAttempts.empty(source);
  }

  /** True when one process must handle all requests of the flow. */
  needsOneProcess(flowId: string): boolean {
    return this.#active.get(flowId)?.compiled?.needsOneProcess === true;
  }

  get #store(): PolicyStore {
    if (this.#policyStore === undefined) throw new Error("this process does not store access policies: send the change to the leader");
    return this.#policyStore;
  }

  readonly accessOf = (flowId: string): AccessCheck | undefined => {
    const active = this.#active.get(flowId);
    return active === undefined ? this.#parts.defaultCheck(flowId) : active.check;
  };

  has(flowId: string): boolean {
    return this.#active.has(flowId);
  }

  list(): readonly (readonly [flowId: string, stored: StoredPolicy | BrokenPolicy])[] {
    return [...this.#active].map(([flowId, { stored }]) => [flowId, stored] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Policies that cannot be read. */
  broken(): readonly { readonly flowId: string; readonly problem: string }[] {
    return this.list().flatMap(([flowId, stored]) => ("problem" in stored ? [{ flowId, problem: stored.problem }] : []));
  }

  read(flowId: string): StoredPolicy {
    const stored = this.#active.get(flowId)?.stored;
    if (stored === undefined) throw notFound(flowId);
    if ("problem" in stored)
      throw new ServiceError("storage-refused", `access policy for flow '${flowId}' cannot be read: ${stored.problem}; install it again or delete it`);
    return stored;
  }

  install(flowId: string, document: unknown, precondition: Precondition): Promise<InstalledPolicy> {
    // One mutex for all flows: ids that differ only in case share a file on some systems.
    return this.#mutex.run("", async () => {
      const current = this.#active.get(flowId)?.stored;
      this.#checkPrecondition(flowId, precondition);
      const other = [...this.#active.keys()].find((id) => id !== flowId && id.toLowerCase() === flowId.toLowerCase());
      if (other !== undefined)
        throw new ServiceError("conflict", `an access policy for flow '${other}' is already installed; its id differs from '${flowId}' only in case`);
      const previous = current === undefined || "problem" in current ? undefined : current;
      const { policy: submitted, problems } = readPolicy(document, previous?.policy);
      if (problems.length > 0) throw new ServiceError("document-invalid", `access policy '${flowId}': ${sentenceOf(problems)}`);
      const policy = await hashPasswords(submitted, previous?.policy);
      const { stored, unflushed } = previous?.hash === policyHash(policy) ? { stored: previous, unflushed: undefined } : await this.#write(flowId, policy);
      if (stored !== previous) this.#enforce(flowId, stored);
      throwIfUnflushed(unflushed, "the new policy is active, but may be lost");
      return { created: current === undefined, stored, warnings: this.#warnings(flowId, policy) };
    });
  }

  remove(flowId: string, precondition: Precondition): Promise<void> {
    return this.#mutex.run("", async () => {
      if (!this.#active.has(flowId)) throw notFound(flowId);
      this.#checkPrecondition(flowId, precondition);
      const unflushed = await this.#store.remove(flowId).catch(throwStorageError);
      this.#active.delete(flowId);
      this.#parts.registerSecrets(ownerOf(flowId), []);
      throwIfUnflushed(unflushed, "the policy was removed, but may reappear");
    });
  }

  #write(flowId: string, policy: Policy): ReturnType<PolicyStore["write"]> {
    return this.#store.write(flowId, policy, this.#parts.now()).catch(throwStorageError);
  }

  #enforce(flowId: string, stored: StoredPolicy | BrokenPolicy): void {
    if ("problem" in stored) {
      this.#active.set(flowId, { check: denyUnreadable, stored, compiled: undefined });
      return;
    }
    const compiled = compilePolicy(flowId, stored.policy, this.#parts, this.#active.get(flowId)?.compiled);
    this.#parts.registerSecrets(ownerOf(flowId), this.#knownSecrets(stored.policy));
    this.#active.set(flowId, { check: compiled.check, stored, compiled });
  }

  /** Secrets known by value: signing secrets and values of environment variables. */
  #knownSecrets(policy: Policy): readonly string[] {
    return (policy.authenticate ?? []).flatMap(secretsOf).flatMap(([, secret]) => {
      const value = "env" in secret ? this.#parts.variable(secret.env) : "value" in secret ? (secret.value as string) : undefined;
      return value === undefined ? [] : [value];
    });
  }

  #warnings(flowId: string, policy: Policy): readonly string[] {
    const missing = this.#parts.isInstalled(flowId) ? [] : [`flow '${flowId}' is not installed yet`];
    return [...missing, ...policyWarnings(policy, this.#parts.variable, this.#parts.now())];
  }

  #checkPrecondition(flowId: string, precondition: Precondition): void {
    const stored = this.#active.get(flowId)?.stored;
    checkPrecondition(`access policy for flow '${flowId}'`, precondition, stored === undefined || "hash" in stored ? stored : {});
  }
}

const ownerOf = (flowId: string): string => `policy ${flowId}`;
const unusable = (flowId: string, { problem }: BrokenPolicy): string => `Cannot use the access policy of flow '${flowId}'; its webhooks return 503: ${problem}`;
const notFound = (flowId: string): ServiceError => new ServiceError("not-found", `access policy for flow '${flowId}' not found`);

const maxListedProblems = 3;

function sentenceOf(problems: readonly string[]): string {
  const more = problems.length - maxListedProblems;
  return problems.slice(0, maxListedProblems).join("; ") + (more > 0 ? `; and ${more} more` : "");
}
