import fc from "fast-check";
import { expect, test } from "vitest";
import { Placeholders } from "./placeholders.ts";

const values: Record<string, string> = {
  a: "A",
  b: "{{a}}B",
  key: "a",
  yes: "true",
  no: "false",
  word: "x",
  circle: "{{circle2}}",
  circle2: "x{{circle}}",
  "env:HOME": "/home/me",
  "sys:os": "linux",
  empty: "",
};
const resolve = (text: string) => new Placeholders({ property: (name) => (Object.hasOwn(values, name) ? values[name] : undefined) }).resolve(text);
const textOf = (text: string): string => {
  const resolution = resolve(text);
  if (resolution.kind !== "text") throw new Error(JSON.stringify(resolution));
  return resolution.text;
};

test.each([
  ["no placeholder", "no placeholder"],
  ["{{a}}", "A"],
  ["<{{a}}|{{b}}>", "<A|AB>"],
  ["{{none:default}}", "default"],
  ["{{none:}}", ""],
  ["{{empty:default}}", ""],
  ["{{dst:mock:out}}", "mock:out"],
  ["{{a:other}}", "A"],
  ["{{{{key}}}}", "A"],
  ["{{none:{{a}}-{{none:z}}}}", "A-z"],
  ["{{a:{{never.used}}}}", "A"],
  ["{{?a}}", "A"],
  ["{{!yes}}", "false"],
  ["{{!no}}", "true"],
  ["{{!none:true}}", "false"],
  ["{{env:HOME}}", "/home/me"],
  ["{{env:NONE:fallback}}", "fallback"],
  ["{{env:NONE:a:b}}", "a:b"],
  ["{{sys:os}}", "linux"],
  ["{{boolean:yes}}", "true"],
  ["{{boolean:!yes}}", "false"],
  ["{{boolean:word == 'x'}}", "true"],
  ["{{boolean:word != 'x'}}", "false"],
  ["\\{{a\\}} {{a}}", "{{a}} A"],
  ["timer:t?period={{?none}}&delay={{a}}", "timer:t?delay=A"],
  ["timer:t?period={{?none}}", "timer:t"],
  ["x{{?none}}y", "xy"],
  ["${body} } }}", "${body} } }}"],
  ['{"a":{"b":1}}', '{"a":{"b":1}}'],
])("%s becomes %s", (text, expected) => expect(textOf(text)).toBe(expected));

test("an optional placeholder alone removes its option", () => expect(resolve("{{?none}}")).toEqual({ kind: "absent" }));

test("an undefined name is reported with its placeholder", () =>
  expect(resolve("http://{{erp.url}}/x")).toEqual({
    kind: "fault",
    code: "placeholder-unresolved",
    message: "no value for parameter 'erp.url'",
    name: "{{erp.url}}",
  }));

test.each([
  ["{{circle}}", "placeholder-circular", "circle -> circle2 -> circle"],
  ["{{open", "placeholder-invalid", "{{open"],
  ["{{!word}}", "placeholder-invalid", "word"],
])("%s is an error", (text, code, part) => {
  const resolution = resolve(text);
  expect(resolution).toMatchObject({ kind: "fault", code });
  expect(resolution.kind === "fault" && resolution.message).toContain(part);
});

test("a chain that doubles the text at each level reads each value once and is rejected, with a placeholder in the message", () => {
  const read: string[] = [];
  const chain = new Placeholders({
    property(name) {
      read.push(name);
      return name === "p18" ? "x" : `{{p${Number(name.slice(1)) + 1}}}{{p${Number(name.slice(1)) + 1}}}`;
    },
  });
  const resolution = chain.resolve("{{p1}}");
  expect(resolution).toMatchObject({ kind: "fault", code: "placeholder-limit" });
  expect(resolution.kind === "fault" && resolution.message).toMatch(/'p\d+'/);
  expect(read).toEqual(Array.from({ length: 18 }, (_, index) => `p${index + 1}`));
});

test("the length of one text is limited, whatever the length of each value", () => {
  const placeholders = new Placeholders({ property: () => "x".repeat(40_000) });
  expect(placeholders.resolve("{{big}}").kind).toBe("text");
  expect(placeholders.resolve("{{big}}{{big}}")).toMatchObject({ kind: "fault", code: "placeholder-limit" });
});

test("the total length of the values in one flow is limited", () => {
  const placeholders = new Placeholders({ property: () => "x".repeat(60_000) });
  const kinds = Array.from({ length: 100 }, () => placeholders.resolve("a{{big}}").kind);
  expect(kinds.at(0)).toBe("text");
  expect(kinds.at(-1)).toBe("fault");
});

test("used names are listed once, in order", () => {
  const placeholders = new Placeholders({ property: (name) => values[name] });
  placeholders.resolve("{{b}} {{none:x}} {{b}}");
  expect(placeholders.used).toEqual(["b", "a", "none"]);
});

test("unresolved names can be kept for a later binding", () => {
  const placeholders = new Placeholders({ property: (name) => values[name], unresolved: "keep" });
  expect(placeholders.resolve("{{a}}/{{p}}/{{?q}}")).toEqual({ kind: "text", text: "A/{{p}}/{{?q}}", hasUnresolved: true });
});

test("never throws, for any text", () => {
  const parts = fc.constantFrom("{{", "}}", "{", "}", ":", "?", "!", "\\", "a", "b", "circle", "env:", "boolean:", " == ", "&");
  fc.assert(fc.property(fc.array(parts, { maxLength: 40 }), (pieces) => ["text", "absent", "fault"].includes(resolve(pieces.join("")).kind)));
  for (const piece of ["{{", "{{a", "{{a:", "}}", "\\{{"]) expect(resolve(piece.repeat(100_000)).kind).toBeDefined();
});
