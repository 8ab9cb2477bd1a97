// The public keys of a token issuer: fetched on first use, cached, refreshed periodically or for an unknown key, with a limit on
// requests to the issuer. Keys that are too old are not trusted.
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { TokenBuckets } from "../token-buckets.ts";
import type { SchemeParts } from "./credential-scheme.ts";

/** The keys cannot be fetched, so no token can be verified. */
export class KeysUnavailable extends Error {}

export interface KeySet {
  /** The current keys; throws KeysUnavailable. */
  current(): Promise<JWTVerifyGetKey>;
  /** Newer keys, for a token that none of these keys verifies; undefined when there are none or it is too early to fetch again. */
  newerThan(keys: JWTVerifyGetKey): Promise<JWTVerifyGetKey | undefined>;
  /** True for the latest keys if they are not too old. Refreshes in the background when due. */
  isCurrent(keys: JWTVerifyGetKey): boolean;
}

const refreshAfterMs = 600_000;
const trustedMs = 1_800_000;
const firstPauseMs = 1_000;
const maxPauseMs = 10_000;
const refetchLimit = { capacity: 5, refillMs: 30_000, maxKeys: 1 };

export function keySet(uri: string, { fetchText, monotonic }: Pick<SchemeParts, "fetchText" | "monotonic">): KeySet {
  const refetches = new TokenBuckets({ ...refetchLimit, monotonic });
  let keys: JWTVerifyGetKey | undefined;
  let text = "";
  let fetchedAt = 0;
  let pauseUntil = 0;
  let pauseMs = firstPauseMs;
  let fetching: Promise<JWTVerifyGetKey> | undefined;

  function fetchKeys(): Promise<JWTVerifyGetKey> {
    if (fetching === undefined && monotonic() < pauseUntil) return Promise.reject(new KeysUnavailable());
    return (fetching ??= fetchText(uri)
      .then((fetched) => {
        // Identical text means identical keys: tokens verified with them stay valid.
        if (keys === undefined || fetched !== text) keys = createLocalJWKSet(JSON.parse(fetched) as JSONWebKeySet);
        text = fetched;
        fetchedAt = monotonic();
        pauseMs = firstPauseMs;
        return keys;
      })
      .catch((error: unknown) => {
        pauseUntil = monotonic() + pauseMs;
        pauseMs = Math.min(maxPauseMs, pauseMs * 2);
        throw new KeysUnavailable(`cannot fetch the key set from ${uri}`, { cause: error });
      })
      .finally(() => (fetching = undefined)));
  }

  function refreshWhenDue(): void {
    if (monotonic() - fetchedAt >= refreshAfterMs) fetchKeys().catch(() => undefined);
  }

  return {
    async current() {
      if (keys === undefined || monotonic() - fetchedAt >= trustedMs) return fetchKeys();
      refreshWhenDue();
      return keys;
    },
    async newerThan(old) {
      if (keys !== old) return keys;
      if (refetches.take("") > 0) return undefined;
      const fetched = await fetchKeys();
      return fetched === old ? undefined : fetched;
    },
    isCurrent(old) {
      if (keys !== old || monotonic() - fetchedAt >= trustedMs) return false;
      refreshWhenDue();
      return true;
    },
  };
}
