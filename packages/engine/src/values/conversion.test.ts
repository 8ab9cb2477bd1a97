import { describe, expect, it } from "vitest";
import { FlowError } from "../errors/flow-error.ts";
import { findConversion } from "./conversion.ts";
import { copyJson, jsonView } from "./json-view.ts";
import { compareValues } from "./ordering.ts";
import { entryOf, fieldReader, setEntry } from "./member.ts";
import { findTypeTest, javaTypeOf } from "./type-test.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("findConversion", () => {
  it.each([
    ["int", "42", 42],
    ["java.lang.Integer", bytes("42"), 42],
    ["Integer", 4.7, 4],
    ["long", new Date(5), 5],
    ["Double", "1e3", 1000],
    ["boolean", "TRUE", true],
    ["String", 42, "42"],
    ["String", { a: [1] }, '{"a":[1]}'],
    ["byte[]", "é", bytes("é")],
    ["java.util.List", "a,b", ["a,b"]],
    ["List", '["a"]', ["a"]],
    ["java.util.Map", '{"a":1}', { a: 1 }],
    ["Date", "2024-01-01T00:00:00Z", new Date("2024-01-01T00:00:00Z")],
    ["JsonArray", "[1]", [1]],
    ["char", "x", "x"],
    ["int", null, null],
    ["int", "-2147483648", -2147483648],
    ["Integer", 2147483647, 2147483647],
    ["short", -32768, -32768],
    ["byte", "127", 127],
    ["long", -Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER],
  ])("converts to %s from %j", (type, value, expected) => {
    expect(findConversion(type)?.(value)).toEqual(expected);
  });

  it.each([
    ["int", "4.7"],
    ["int", " 4"],
    ["int", ""],
    ["int", "99999999999"],
    ["long", "9007199254740993"],
    ["byte", 300],
    ["byte", 128],
    ["short", "32768"],
    ["int", 2147483648],
    ["Integer", -2147483649],
    ["boolean", "yes"],
    ["double", "abc"],
    ["java.util.Map", "text"],
    ["JsonObject", "[1]"],
    ["Json", "{"],
    ["Date", "soon"],
    ["Character", "ab"],
  ])("conversion to %s fails for %j", (type, value) => {
    expect(() => findConversion(type)?.(value)).toThrow(expect.objectContaining({ type: "org.apache.camel.TypeConversionException" }));
  });

  it("converts an integer that a double cannot represent to a decimal only", () => {
    expect(findConversion("Double")?.(12345678901234567890n)).toBe(12345678901234567000);
    expect(() => findConversion("Long")?.(12345678901234567890n)).toThrow("it cannot be represented exactly");
  });

  it.each([
    ["byte", 300, "cannot convert '300' to Byte: it is not between -128 and 127"],
    ["Short", "100000", "cannot convert '100000' to Short: it is not between -32768 and 32767"],
    ["Integer", "9007199254740993", "cannot convert '9007199254740993' to Integer: it is not between -2147483648 and 2147483647"],
    ["Long", "9007199254740993", "cannot convert '9007199254740993' to Long: it cannot be represented exactly; keep it as text"],
    ["java.math.BigInteger", "-9007199254740993", "cannot convert '-9007199254740993' to BigInteger: it cannot be represented exactly; keep it as text"],
  ])("conversion to %s names the reason why %j is out of range", (type, value, message) => {
    expect(() => findConversion(type)?.(value)).toThrow(expect.objectContaining({ message }));
  });

  it.each(["NoSuchType", "string", "com.acme.Integer", "constructor", ""])("rejects the unknown type '%s'", (type) => {
    expect(findConversion(type)).toBeUndefined();
  });
});

describe("findTypeTest", () => {
  it.each([
    ["Integer", 5, true],
    ["Long", 5, false],
    ["Long", 12_345_678_901, true],
    ["Double", 2.5, true],
    ["Integer", 2147483648, false],
    ["Long", 2147483648, true],
    ["Integer", -2147483648, true],
    ["Long", -2147483648, false],
    ["java.lang.Number", 5, true],
    ["java.util.Map", new Map(), true],
    ["java.util.List", "a", false],
    ["byte[]", bytes("a"), true],
    ["String", null, false],
    ["java.io.IOException", new FlowError("java.net.ConnectException", "down"), true],
    ["java.lang.IllegalStateException", new FlowError("java.net.ConnectException", "down"), false],
  ])("%s of %j: %s", (type, value, expected) => {
    expect(findTypeTest(type)?.(value)).toBe(expected);
  });

  it("rejects unknown type names", () => {
    expect(findTypeTest("Number")).toBeUndefined();
    expect(findTypeTest("com.acme.Order")).toBeUndefined();
  });
});

describe("javaTypeOf", () => {
  it("returns the Java class of a value, and null for null", () => {
    expect(javaTypeOf({})).toBe("java.util.LinkedHashMap");
    expect(javaTypeOf(null)).toBeNull();
  });
});

describe("members and views", () => {
  it("reads own keys only", () => {
    for (const name of ["constructor", "__proto__", "toString"]) {
      expect(fieldReader(name)({})).toBeUndefined();
      expect(entryOf({}, name)).toBeUndefined();
      expect(fieldReader(name)(JSON.parse(`{"${name}":1}`))).toBe(1);
    }
    expect(fieldReader("length")([1])).toBeUndefined();
    expect(fieldReader("a")(Object.create({ a: 1 }))).toBeUndefined();
  });

  it("sets __proto__ as an entry", () => {
    const target = {};
    setEntry(target, "__proto__", { polluted: true });
    expect(Object.keys(target)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(target)).toBe(Object.prototype);
  });

  it("parses JSON in text and bytes, once", () => {
    const source = bytes(' \uFEFF{"a":1}');
    expect(jsonView(source)).toEqual({ a: 1 });
    expect(jsonView(source)).toBe(jsonView(source));
    expect(jsonView("5")).toBeUndefined();
    expect(jsonView("{broken")).toBeUndefined();
    expect(copyJson(jsonView(source))).not.toBe(jsonView(source));
  });
});
