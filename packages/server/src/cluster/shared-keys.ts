// The keys of the memory repository in a cluster: a key is a claim, so that of all messages with the same key one runs, on any node.
import { createHash } from "node:crypto";
import { FlowError, type BeanDeclaration, type Claim, type Claims } from "@sluice/engine";
import type { IdempotentRepository } from "@sluice/engine/spi";

const stored = new TextEncoder().encode("stored");
/** The note of a claim that only checks whether the key exists; it is released at once. */
const check = new TextEncoder().encode("check");
const isCheck = ({ note }: Claim): boolean => note.length === check.length;

/** Replaces the memory repository. */
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

  constructor(claims: Claims, scope: string, memory: IdempotentRepository) {
    this.#claims = claims;
    this.#scope = scope;
    this.#memory = memory;
  }

  async add(key: string): Promise<boolean> {
    for (;;) {
      const claim = await this.#claim(key, stored);
      if (claim.won) this.#held.set(key, claim);
      if (claim.won || !isCheck(claim)) return claim.won;
      await this.#release(claim);
    }
  }

  async contains(key: string): Promise<boolean> {
    const claim = await this.#claim(key, check);
    if (claim.won) await this.#release(claim);
    return !isCheck(claim);
  }

  async remove(key: string): Promise<void> {
    const claim = this.#held.get(key) ?? (await this.#claim(key, check));
    this.#held.delete(key);
    await this.#release(claim);
  }

  confirm(key: string): void {
    this.#held.delete(key);
  }

  forSessions(): IdempotentRepository {
    return this.#memory.forSessions?.() ?? this.#memory;
  }

  /** Keys are data of messages: the store gets a digest, which is also short enough for every store. */
  #claim(key: string, note: Uint8Array): Promise<Claim> {
    const digest = createHash("sha256").update(`${this.#scope}\n${key}`).digest("base64url");
    return this.#claims.claim("day", `idempotency/${digest}`, note).catch(fail);
  }

  #release(claim: Claim): Promise<void> {
    return this.#claims.release(claim).catch(fail);
  }
}

function fail(cause: unknown): never {
  throw new FlowError("java.io.IOException", `the idempotency key cannot be stored in the cluster: ${(cause as Error).message}`, {
    code: "store-failed",
    retryable: true,
    cause,
  });
}
