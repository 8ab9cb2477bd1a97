import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asTime, parseIsoDate, zoneOf } from "./calendar.ts";
import { compileDateFormat } from "./date-format.ts";

const time = Date.UTC(2024, 1, 29, 22, 5, 9, 7);
const utc = zoneOf("UTC");

describe("compileDateFormat", () => {
  it.each([
    ["yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2024-02-29T22:05:09.007Z"],
    ["yy M d H k K h m s S", "24 2 29 22 22 10 10 5 9 7"],
    ["EEE, EEEE MMM MMMM", "Thu, Thursday Feb February"],
    ["D w u F a G", "60 9 4 5 PM AD"],
    ["'o''clock' ''", "o'clock '"],
    ["yyyyy YYYY", "02024 2024"],
    ["Z X XX XXX z", "+0000 Z Z Z UTC"],
  ])("formats %s", (pattern, expected) => {
    expect(compileDateFormat(pattern)(time, utc)).toBe(expected);
  });

  it.each([
    ["Europe/Berlin", "2024-02-29 23:05 +0100 +01 +01:00"],
    ["America/New_York", "2024-02-29 17:05 -0500 -05 -05:00"],
    ["Asia/Kolkata", "2024-03-01 03:35 +0530 +05 +05:30"],
    ["GMT+8", "2024-03-01 06:05 +0800 +08 +08:00"],
    ["-03:30", "2024-02-29 18:35 -0330 -03 -03:30"],
    ["Nowhere/Land", "2024-02-29 22:05 +0000 Z Z"],
  ])("formats in the time zone %s", (zone, expected) => {
    expect(compileDateFormat("yyyy-MM-dd HH:mm Z X XXX")(time, zoneOf(zone))).toBe(expected);
  });

  it("applies daylight saving time within one format", () => {
    const format = compileDateFormat("HH:mm z");
    const berlin = zoneOf("Europe/Berlin");
    expect([Date.UTC(2024, 2, 31, 0, 59), Date.UTC(2024, 2, 31, 1, 0)].map((at) => format(at, berlin))).toEqual(["01:59 CET", "03:00 CEST"]);
  });

  it.each(["bogus", "yyyy 'open", "XXXX"])("rejects %s", (pattern) => {
    expect(() => compileDateFormat(pattern)).toThrow(expect.objectContaining({ code: "date-pattern-invalid" }));
  });
});

describe("parseIsoDate", () => {
  it.each([
    ["2024-02-29T22:05:09.007Z", time],
    ["2024-02-29T23:05:09.007+01:00", time],
    ["2024-02-29 22:05:09,007Z", time],
    ["2024-02-29", Date.UTC(2024, 1, 29)],
    ["2023-02-29", undefined],
    ["2024-02-29T25:00", undefined],
    ["20240229", undefined],
    ["soon", undefined],
  ])("reads '%s'", (text, expected) => {
    expect(parseIsoDate(text, utc)).toBe(expected);
  });

  it("parses the ISO text of every date", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }), (date) => {
        expect(parseIsoDate(date.toISOString())).toBe(date.getTime());
        expect(asTime(date)).toBe(date.getTime());
      }),
    );
  });

  it("reads a local time in its zone", () => {
    expect(parseIsoDate("2024-07-01T12:00", zoneOf("Europe/Berlin"))).toBe(Date.UTC(2024, 6, 1, 10));
    expect(parseIsoDate("2024-01-01T12:00", zoneOf("Europe/Berlin"))).toBe(Date.UTC(2024, 0, 1, 11));
  });
});
