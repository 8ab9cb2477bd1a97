import { describe, expect, it } from "vitest";
import { parseProperties, placeholderNames, withProfile } from "./properties.ts";

const parse = (text: string): Readonly<Record<string, string>> => Object.fromEntries(parseProperties(text));

describe("parseProperties", () => {
  it.each([
    ["a=1\nb: 2\nc 3\nd", { a: "1", b: "2", c: "3", d: "" }],
    ["# comment = no\n! neither: this\n\n  a = b  ", { a: "b" }],
    ["url = http://host:8080/x?a=b#c", { url: "http://host:8080/x?a=b#c" }],
    ["list = one,\\\n    two,\\\r\n    three", { list: "one,two,three" }],
    ["path = C:\\\\temp\\\\\nnext = 1", { path: "C:\\temp\\", next: "1" }],
    ["a\\:b\\=c = x", { "a:b=c": "x" }],
    ["umlaut = \\u00fc\\tend", { umlaut: "ü\tend" }],
    ["# not continued \\\na = 1", { a: "1" }],
    ["a = 1\na = 2", { a: "2" }],
    ["a = 1\\", { a: "1" }],
    ["password = abc\\   ", { password: "abc " }],
    ["folder = C:\\\\temp\\\\  ", { folder: "C:\\temp\\" }],
    ["__proto__ = x", JSON.parse('{"__proto__": "x"}') as Record<string, string>],
  ])("reads %j", (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });
});

describe("withProfile", () => {
  const plain = parseProperties("a=plain\n%dev.a=quarkus\n%dev.b=only dev\nc=same");
  const dev = parseProperties("a=dev file");

  it("prefers the profile's file, then %profile entries, then plain ones", () => {
    expect(Object.fromEntries(withProfile(plain, dev, "dev"))).toEqual({ a: "dev file", b: "only dev", c: "same" });
    expect(Object.fromEntries(withProfile(plain, new Map(), "dev"))).toEqual({ a: "quarkus", b: "only dev", c: "same" });
  });

  it("ignores the entries of profiles when no profile is set", () => {
    expect(Object.fromEntries(withProfile(plain, new Map(), undefined))).toEqual({ a: "plain", c: "same" });
  });
});

describe("placeholderNames", () => {
  it("finds names with and without default, optional, negated and nested ones", () => {
    expect(placeholderNames("uri: '{{a}}{{b:x}}{{?c}}{{!d}}' - {{e:{{f}}}} {{ g }} ${body}")).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
    expect(placeholderNames("{{env:HOME}}")).toEqual(["env"]);
  });
});
