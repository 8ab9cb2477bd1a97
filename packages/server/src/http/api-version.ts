// Versions of the management API. To add one, append it to the list and give the previous entry its deprecation and sunset dates.

export interface ServedVersion {
  readonly number: number;
  /** ISO dates of a version that will be removed. */
  readonly ending?: { readonly deprecatedAt: string; readonly sunsetAt: string };
}

/** Oldest first. Requests without a version get the oldest, because early clients do not send one. */
export const servedVersions: readonly [ServedVersion, ...ServedVersion[]] = [{ number: 1 }];

/** The header that selects a version, in lower case, as node:http stores it. */
export const versionHeader = "accept-api-version";

/** The requested version; undefined when it is not served or not a number. */
export function requestedVersion(requested: string | undefined, served = servedVersions): ServedVersion | undefined {
  if (requested === undefined) return served[0];
  return /^[1-9]\d{0,8}$/.test(requested) ? served.find(({ number }) => number === Number(requested)) : undefined;
}

/** Headers of every reply: the version and, if it will be removed, when (RFC 9745 and RFC 8594). */
export function versionHeaders(requested: string | undefined, served = servedVersions): Readonly<Record<string, string>> {
  const { number, ending } = requestedVersion(requested, served) ?? served[0];
  return {
    "X-Api-Version": String(number),
    ...(ending === undefined
      ? {}
      : { Deprecation: `@${Math.floor(Date.parse(ending.deprecatedAt) / 1_000)}`, Sunset: new Date(Date.parse(ending.sunsetAt)).toUTCString() }),
  };
}
