import { expect, it } from "vitest";
import { isFlowId } from "./flow-id.ts";

it("accepts only ids that are safe file names on every system", () => {
  for (const id of ["a", "A-1", "orders.v2", "x_y", "0", "console", "com10", "x".repeat(128)]) expect([id, isFlowId(id)]).toEqual([id, true]);
  for (const id of [
    "",
    ".",
    "..",
    "...",
    "a..b",
    "a.",
    ".a",
    "-a",
    "_a",
    "~a",
    "a b",
    "a/b",
    "a\\b",
    "a\0",
    "ä",
    "CON",
    "con.x",
    "nul",
    "Aux.yaml",
    "COM1",
    "lpt9.a.b",
    "x".repeat(129),
  ])
    expect([id, isFlowId(id)]).toEqual([id, false]);
});
