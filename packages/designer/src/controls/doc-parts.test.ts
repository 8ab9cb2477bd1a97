import { expect, it } from "vitest";
import { docParts } from "./doc-parts.ts";

it("splits a description at its backticks", () => {
  const parts = (text: string) => docParts(text).map(({ isCode, part }) => (isCode ? [part] : part));
  expect(parts("As `host:port`; `host` is ignored.")).toEqual(["As ", ["host:port"], "; ", ["host"], " is ignored."]);
  expect(parts("Plain text.")).toEqual(["Plain text."]);
  expect(parts("`code`")).toEqual([["code"]]);
  expect(parts("A lone ` stays")).toEqual(["A lone ", "`", " stays"]);
  expect(parts("")).toEqual([]);
});
