import { FakeHost, languageUnderTest } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { exchangeProperty } from "../exchange-property/exchange-property.ts";
import { header } from "../header/header.ts";
import { variable } from "./variable.ts";

const host = new FakeHost();
host.globals.set("limit", 5);
host.globals.set("route:orders:count", 7);
const input = { headers: { Color: "red" }, properties: { tenant: "acme", Fallback: "p" }, variables: { step: 3, "header:req.color": "blue" } };

describe("languages that read one name", () => {
  it.each([
    [header, "COLOR", "red"],
    [header, "Fallback", "p"],
    [header, " color ", "red"],
    [header, "constructor", null],
    [exchangeProperty, "tenant", "acme"],
    [exchangeProperty, "Tenant", null],
    [variable, "step", 3],
    [variable, "Step", null],
    [variable, "global:limit", 5],
    [variable, "route:orders:count", 7],
    [variable, "header:req.color", "blue"],
  ])("%o reads %s", (language, name, expected) => {
    expect(languageUnderTest(language, { host }).evaluate(name, input)).toBe(expected);
  });

  it.each([
    [header, " "],
    [exchangeProperty, ""],
    [variable, ""],
    [variable, "nowhere:x"],
    [variable, "route:x"],
  ])("%o rejects '%s' when compiling", (language, name) => {
    const { scope } = languageUnderTest(language, { host });
    expect(() => language.compile(name, {}, scope)).toThrow(expect.objectContaining({ name: "CompileError" }));
  });
});
