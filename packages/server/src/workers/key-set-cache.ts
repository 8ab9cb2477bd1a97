import { fetchText } from "../access/fetch-text.ts";

/** How long a key set is reused for other workers. */
const sharedMs = 30_000;
const maxTexts = 100;

interface CachedKeySet {
  readonly text: Promise<string>;
  readonly at: number;
  isKnownToLeader: boolean;
}

/** Key sets of token issuers, fetched by the leader for all workers, so that an issuer gets no more requests than from one process. */
export class KeySetCache {
  readonly #texts = new Map<string, CachedKeySet>();

  /** For the leader, which needs a fresh key set. A set fetched for another worker counts as fresh once. */
  readonly fetch = (uri: string): Promise<string> => {
    const cached = this.#texts.get(uri);
    if (cached === undefined || cached.isKnownToLeader || !isRecent(cached)) return this.#fetchAndCache(uri, true);
    cached.isKnownToLeader = true;
    return cached.text;
  };

  /** For other workers: a cached key set if it is recent. */
  recent(uri: string): Promise<string> {
    const cached = this.#texts.get(uri);
    return cached !== undefined && isRecent(cached) ? cached.text : this.#fetchAndCache(uri, false);
  }

  #fetchAndCache(uri: string, isKnownToLeader: boolean): Promise<string> {
    const text = fetchText(uri);
    this.#texts.delete(uri);
    this.#texts.set(uri, { text, at: performance.now(), isKnownToLeader });
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > maxTexts && oldest !== undefined) this.#texts.delete(oldest);
    text.catch(() => this.#texts.get(uri)?.text === text && this.#texts.delete(uri));
    return text;
  }
}

function isRecent({ at }: CachedKeySet): boolean {
  return performance.now() - at < sharedMs;
}
