import { describe, expect, it } from "vitest";
import { requestedVersion, versionHeaders, type ServedVersion } from "./api-version.ts";

const twoVersions: readonly [ServedVersion, ...ServedVersion[]] = [
  { number: 1, ending: { deprecatedAt: "2027-03-01T00:00:00Z", sunsetAt: "2028-03-01T00:00:00Z" } },
  { number: 2 },
];

describe("the version of the API", () => {
  it("is the oldest one by default", () => {
    expect(requestedVersion(undefined)).toEqual({ number: 1 });
    expect(requestedVersion(undefined, twoVersions)?.number).toBe(1);
  });

  it("is the requested one", () => {
    expect(requestedVersion("1", twoVersions)?.number).toBe(1);
    expect(requestedVersion("2", twoVersions)?.number).toBe(2);
  });

  it("is undefined if the request is unsupported or invalid", () => {
    for (const requested of ["0", "3", "", "01", "1.0", "-1", "1, 2", "latest", "1e0", "9".repeat(400)])
      expect(requestedVersion(requested, twoVersions), requested).toBeUndefined();
  });

  it("is in every reply, with its sunset date once known", () => {
    expect(versionHeaders("1")).toEqual({ "X-Api-Version": "1" });
    expect(versionHeaders("2", twoVersions)).toEqual({ "X-Api-Version": "2" });
    const old = { "X-Api-Version": "1", Deprecation: "@1803859200", Sunset: "Wed, 01 Mar 2028 00:00:00 GMT" };
    for (const requested of [undefined, "1", "7"]) expect(versionHeaders(requested, twoVersions)).toEqual(old);
  });
});
