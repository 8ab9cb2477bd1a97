import { describe, expect, it } from "vitest";
import { durationText } from "./duration.ts";
import { fieldsText } from "./fields.ts";
import { recordedTerminal } from "./recorded-terminal.test-support.ts";
import { tableText, type Column } from "./table.ts";

interface Row {
  readonly id: string;
  readonly count: number;
  readonly node?: string;
  readonly error: string | null;
}
const columns: readonly Column<Row>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "COUNT", text: ({ count }) => count, isNumber: true },
  { title: "NODE", text: ({ node }) => node },
  { title: "ERROR", text: ({ error }) => error },
];

describe("a table", () => {
  it("aligns text to the left and numbers to the right, and leaves out empty columns and trailing spaces", () => {
    const rows = [
      { id: "orders", count: 1, error: null },
      { id: "b", count: 1_000_000, error: "boom" },
    ];
    expect(tableText(columns, rows, recordedTerminal())).toBe("ID        COUNT  ERROR\norders        1\nb       1000000  boom");
  });

  it("shows content on one line, without control characters", () => {
    expect(tableText(columns, [{ id: "a\nb", count: 0, error: "\u001B[31mred\u0007" }], recordedTerminal())).toBe("ID   COUNT  ERROR\na b      0   [31mred");
  });

  it("shortens the last column in a terminal only", () => {
    const rows = [{ id: "a", count: 1, error: "x".repeat(200) }];
    expect(tableText(columns, rows, recordedTerminal()).split("\n")[1]).toHaveLength(200 + "a       1  ".length);
    const line = tableText(columns, rows, { ...recordedTerminal({ isInteractive: true }), style: (_style, text) => text }).split("\n")[1] as string;
    expect([line.length, line.endsWith("…")]).toEqual([100, true]);
  });
});

it("fields are aligned, and left out without a value", () => {
  expect(
    fieldsText(
      [
        ["at", "now"],
        ["attempts", 0],
        ["node", undefined],
        ["error", null],
        ["text", ""],
      ],
      recordedTerminal(),
    ),
  ).toBe("  at        now\n  attempts  0");
});

it.each([
  [0, "0 s"],
  [59.9, "59 s"],
  [3_600, "1 h"],
  [3_725, "1 h 2 min"],
  [90_061, "1 d 1 h"],
])("%d seconds are %s", (seconds, text) => expect(durationText(seconds)).toBe(text));
