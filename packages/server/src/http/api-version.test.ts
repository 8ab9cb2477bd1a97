import { describe, expect, it } from "vitest";
import { askedVersion, versionHeaders, type ServedVersion } from "./api-version.ts";

const two: readonly [ServedVersion, ...ServedVersion[]] = [
  { number: 1, ending: { deprecatedAt: "2027-03-01T00:00:00Z", sunsetAt: "2028-03-01T00:00:00Z" } },
  { number: 2 },
];

describe("contract §14: the version of the API", () => {
  it("is the oldest one served when none is asked for", () => {
    expect(askedVersion(undefined)).toEqual({ number: 1 });
    expect(askedVersion(undefined, two)?.number).toBe(1);
  });

  it("is the one asked for", () => {
    expect(askedVersion("1", two)?.number).toBe(1);
    expect(askedVersion("2", two)?.number).toBe(2);
  });

  it("is none when what is asked for is not served or no version", () => {
    for (const asked of ["0", "3", "", "01", "1.0", "-1", "1, 2", "latest", "1e0", "9".repeat(400)]) expect(askedVersion(asked, two), asked).toBeUndefined();
  });

  it("is told in every reply, with its end once that is known", () => {
    expect(versionHeaders("1")).toEqual({ "X-Api-Version": "1" });
    expect(versionHeaders("2", two)).toEqual({ "X-Api-Version": "2" });
    const old = { "X-Api-Version": "1", Deprecation: "@1803859200", Sunset: "Wed, 01 Mar 2028 00:00:00 GMT" };
    for (const asked of [undefined, "1", "7"]) expect(versionHeaders(asked, two)).toEqual(old);
  });
});
