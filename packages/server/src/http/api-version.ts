// Which version of the management API answers a request. There is one so far; the next one is a line in the list, and the line
// before it then says since when it is deprecated and until when it is served.

export interface ServedVersion {
  readonly number: number;
  /** ISO dates, both or none: a version that is to go says when. */
  readonly ending?: { readonly deprecatedAt: string; readonly sunsetAt: string };
}

/** Oldest first: who asks for none gets the oldest, since clients of that time did not know there would be others. */
export const servedVersions: readonly [ServedVersion, ...ServedVersion[]] = [{ number: 1 }];

/** The header by which a client chooses, as Node spells it. */
export const versionHeader = "accept-api-version";

/** The version asked for; undefined when it is not served, or is no number. */
export function askedVersion(asked: string | undefined, served = servedVersions): ServedVersion | undefined {
  if (asked === undefined) return served[0];
  return /^[1-9]\d{0,8}$/.test(asked) ? served.find(({ number }) => number === Number(asked)) : undefined;
}

/** The headers every reply carries: the version that answers and, when it is to go, when (RFC 9745 and RFC 8594). */
export function versionHeaders(asked: string | undefined, served = servedVersions): Readonly<Record<string, string>> {
  const { number, ending } = askedVersion(asked, served) ?? served[0];
  return {
    "X-Api-Version": String(number),
    ...(ending === undefined
      ? {}
      : { Deprecation: `@${Math.floor(Date.parse(ending.deprecatedAt) / 1_000)}`, Sunset: new Date(Date.parse(ending.sunsetAt)).toUTCString() }),
  };
}
