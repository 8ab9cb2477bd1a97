import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FlagDeclaration } from "./declaration.ts";
import { readFlagValue } from "./flag-values.ts";

const flag = (more: Partial<FlagDeclaration>): FlagDeclaration => ({ name: "some", value: "text", doc: "Some.", ...more });

describe("a time", () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.parse("2026-11-19T12:00:00.000Z"), toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());

  it.each([
    ["2026-11-19", "2026-11-19T00:00:00.000Z"],
    ["2026-11-19T08:30:00Z", "2026-11-19T08:30:00.000Z"],
    ["2026-11-19T08:30:00.5+02:00", "2026-11-19T06:30:00.500Z"],
    ["30s", "2026-11-19T11:59:30.000Z"],
    ["15m", "2026-11-19T11:45:00.000Z"],
    ["2h", "2026-11-19T10:00:00.000Z"],
    ["3d", "2026-11-16T12:00:00.000Z"],
  ])("%s is %s", (text, expected) => expect(readFlagValue(flag({ isTime: true }), text)).toBe(expected));

  it.each(["yesterday", "2026-13-01", "15", "m", "999999999d", "2026-11-19 08:30"])("rejects %s", (text) =>
    expect(() => readFlagValue(flag({ isTime: true }), text)).toThrow(
      `--some must be a time such as 2026-01-31T08:00:00Z, or an age such as 15m, 2h or 3d, not '${text}'`,
    ),
  );
});

it.each([
  [{ min: 1 }, "0", "--some must be a positive integer, not '0'"],
  [{ min: 0 }, "-1", "--some must be an integer of 0 or more, not '-1'"],
  [{ min: 0, max: 65_535 }, "65536", "--some must be an integer from 0 to 65535, not '65536'"],
  [{ min: 0, max: 1, allowsFractions: true }, "1.1", "--some must be a number from 0 to 1, not '1.1'"],
  [{ min: 1 }, "1e3", "--some must be a positive integer, not '1e3'"],
])("the range %j rejects %s", (number, text, message) => expect(() => readFlagValue(flag({ number }), text)).toThrow(message));

it("empty text is a value only if the flag allows it", () => {
  expect(() => readFlagValue(flag({}), "")).toThrow("--some must not be empty: pass <text>");
  expect(readFlagValue(flag({ allowsEmpty: true }), "")).toBe("");
});
