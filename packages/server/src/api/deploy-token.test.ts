import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createTokenCheck } from "./deploy-token.ts";

describe("deploy token", () => {
  it("reports every request as unconfigured when the token is unset, empty or blank", () => {
    for (const token of [undefined, "", "  ", "\n"]) expect(createTokenCheck(token)([`Bearer ${token}`])).toBe("unconfigured");
  });

  it("accepts the token only as a single bearer header", () => {
    const check = createTokenCheck("s3cret");
    expect(check(["Bearer s3cret"])).toBe("accepted");
    expect(check(["bearer   s3cret"])).toBe("accepted");
    for (const header of ["Bearers3cret", "Bearer\ts3cret", "Bearer s3cret x", "Basic s3cret", "s3cret", "", "Bearer S3CRET"])
      expect([header, check([header])]).toEqual([header, "unauthorized"]);
    expect(check([])).toBe("unauthorized");
    expect(check(["Bearer s3cret", "Bearer s3cret"])).toBe("unauthorized");
  });

  it("compares the bytes that a UTF-8 client sends", () => {
    const onTheWire = Buffer.from("Bearer schlüssel", "utf8").toString("latin1");
    expect(createTokenCheck("schlüssel")([onTheWire])).toBe("accepted");
  });

  it("compares digests once, in constant time", () => {
    const source = readFileSync(new URL("./deploy-token.ts", import.meta.url), "utf8");
    expect(source.match(/timingSafeEqual\(digest\(/g)?.length).toBe(1);
    expect(source).not.toMatch(/={2,3} (token|expected)\b|\b(scheme|expected)(\[0\])? ={2,3} (?!null)/);
  });
});
