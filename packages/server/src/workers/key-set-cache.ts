import { fetchText } from "../access/fetch-text.ts";

/** How long a key set is reused for other workers. */
const sharedMs = 30_000;
const maxTexts = 100;

interface CachedKeySet {
  readonly text: Promise<string>;
  readonly at: number;
  isKnownToLead: boolean;
}

/** Key sets of token issuers, fetched by the lead for all workers, so that an issuer gets no more requests than from one process. */
export class KeySetCache {
  readonly #texts = new Map<string, CachedKeySet>();

  /** For the lead, which needs a fresh key set. A set fetched for another worker counts as fresh once. */
  readonly fetch = (uri: string): Promise<string> => {
    const known = this.#texts.get(uri);
    if (known === undefined || known.isKnownToLead || !isRecent(known)) return this.#ask(uri, true);
    known.isKnownToLead = true;
    return known.text;
  };

  /** For other workers: a cached key set if it is recent. */
  recent(uri: string): Promise<string> {
    const known = this.#texts.get(uri);
    return known !== undefined && isRecent(known) ? known.text : this.#ask(uri, false);
  }

  #ask(uri: string, isKnownToLead: boolean): Promise<string> {
    const text = fetchText(uri);
    this.#texts.delete(uri);
    this.#texts.set(uri, { text, at: performance.now(), isKnownToLead });
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > maxTexts && oldest !== undefined) this.#texts.delete(oldest);
    text.catch(() => this.#texts.get(uri)?.text === text && this.#texts.delete(uri));
    return text;
  }
}

function isRecent({ at }: CachedKeySet): boolean {
  return performance.now() - at < sharedMs;
}
