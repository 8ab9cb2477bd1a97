// Idempotency keys in a cluster: each is recorded as a claim, so only one message with a given key runs across all nodes.
import { createHash, randomUUID } from "node:crypto";
import { FlowError, isClusterError, type BeanDeclaration, type Claim, type Claims } from "@sluice/engine";
import type { IdempotentRepository } from "@sluice/engine/spi";
import { systemClock } from "../host/clock.ts";

/** The note of a claim that only checks whether the key exists; it is released at once. */
const check = new TextEncoder().encode("check");
const isCheck = ({ note }: Claim): boolean => note.length === check.length;
const textOf = ({ note }: Claim): string => Buffer.from(note).toString();
const maxOrphaned = 10_000;
const withdrawMs = 1_000;

/** Replaces the in-memory idempotent repository. */
export function shareKeys(beans: Map<string, BeanDeclaration>, claims: Claims): void {
  const memory = beans.get("MemoryIdempotentRepository");
  if (memory === undefined) return;
  const shared = sharedRepository(memory, claims);
  for (const name of memory.names) beans.set(name, shared);
}

/** The repository with keys that the nodes share, unless the flow requests keys per node. */
export const sharedRepository = (memory: BeanDeclaration, claims: Claims): BeanDeclaration => ({
  ...memory,
  create(properties, host, scope) {
    const inMemory = memory.create(properties, host, scope) as IdempotentRepository;
    return (properties as { readonly perNode: boolean }).perNode ? inMemory : new SharedKeys(claims, `${scope.flowId} ${scope.name}`, inMemory);
  },
});

class SharedKeys implements IdempotentRepository {
  readonly #claims: Claims;
  readonly #scope: string;
  readonly #memory: IdempotentRepository;
  /** The claims of messages that this node is processing. */
  readonly #held = new Map<string, Claim>();
  /** By note: the keys of claims that may be stored although no message runs. If they were not removed, the retried message would count as a duplicate. */
  readonly #orphaned = new Map<string, string>();
  #isWithdrawing = false;

  constructor(claims: Claims, scope: string, memory: IdempotentRepository) {
    this.#claims = claims;
    this.#scope = scope;
    this.#memory = memory;
  }

  async add(key: string): Promise<boolean> {
    for (;;) {
      const note = `stored ${randomUUID()}`;
      const claim = await this.#claim(key, Buffer.from(note)).catch((error: unknown) => {
        this.#withdraw(key, note, error);
        throw failureOf(error);
      });
      if (claim.won) this.#held.set(key, claim);
      if (claim.won || !(isCheck(claim) || this.#orphaned.has(textOf(claim)))) return claim.won;
      await this.#release(claim);
    }
  }

  async contains(key: string): Promise<boolean> {
    const claim = await this.#claim(key, check).catch(fail);
    if (claim.won) await this.#release(claim);
    return !isCheck(claim) && !this.#orphaned.has(textOf(claim));
  }

  async remove(key: string): Promise<void> {
    const claim = this.#held.get(key) ?? (await this.#claim(key, check).catch(fail));
    this.#held.delete(key);
    await this.#claims.release(claim).catch((error: unknown) => {
      this.#withdraw(key, textOf(claim), error);
      throw failureOf(error);
    });
  }

  confirm(key: string): void {
    this.#held.delete(key);
  }

  forSessions(): IdempotentRepository {
    return this.#memory.forSessions?.() ?? this.#memory;
  }

  /** Schedules the removal of a claim that may still be stored. */
  #withdraw(key: string, note: string, cause: unknown): void {
    if (isClusterError(cause) && cause.kind === "closed") return;
    const [oldest] = this.#orphaned.keys();
    if (this.#orphaned.size >= maxOrphaned && oldest !== undefined) this.#orphaned.delete(oldest);
    this.#orphaned.set(note, key);
    if (this.#isWithdrawing) return;
    this.#isWithdrawing = true;
    systemClock.after(withdrawMs, () => void this.#withdrawAll());
  }

  async #withdrawAll(): Promise<void> {
    this.#isWithdrawing = false;
    for (const [note, key] of [...this.#orphaned])
      try {
        const claim = await this.#claim(key, check);
        if (claim.won || textOf(claim) === note) await this.#claims.release(claim);
        this.#orphaned.delete(note);
      } catch (error) {
        this.#withdraw(key, note, error);
        return;
      }
  }

  /** Keys are message data, so the store gets a digest, which is also short enough for every store. */
  #claim(key: string, note: Uint8Array): Promise<Claim> {
    const digest = createHash("sha256").update(`${this.#scope}\n${key}`).digest("base64url");
    return this.#claims.claim("day", `idempotency/${digest}`, note);
  }

  #release(claim: Claim): Promise<void> {
    return this.#claims.release(claim).catch(fail);
  }
}

function fail(cause: unknown): never {
  throw failureOf(cause);
}

const failureOf = (cause: unknown): FlowError =>
  new FlowError("java.io.IOException", `the idempotency key cannot be stored in the cluster: ${(cause as Error).message}`, {
    code: "store-failed",
    retryable: true,
    cause,
  });
