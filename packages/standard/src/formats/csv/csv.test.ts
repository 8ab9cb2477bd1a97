import { exchangeOf, optionsOf } from "@sluice/testkit";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CsvParser } from "@sluice/engine/values";
import { csvStyle } from "./csv-style.ts";
import { csv } from "./csv.ts";

const format = (options: Record<string, string> = {}) => csv.create(optionsOf(csv, options));
const read = (body: unknown, options?: Record<string, string>): unknown => format(options).unmarshal(body, exchangeOf(body));
const write = (body: unknown, options?: Record<string, string>): unknown => format(options).marshal(body, exchangeOf(body));

describe("reading", () => {
  test.each([
    [
      "a,b\n1,2\n",
      {},
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "a,b\r\n1,2",
      {},
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    ['"x,1","say ""hi""",\n', {}, [["x,1", 'say "hi"', ""]]],
    ['"two\r\nlines",b\n', {}, [["two\r\nlines", "b"]]],
    ["a;b,c\n", { delimiter: ";" }, [["a", "b,c"]]],
    ["a||b|c\n", { delimiter: "||" }, [["a", "b|c"]]],
    ["a\tb\n", { formatName: "TDF" }, [["a", "b"]]],
    ["a\tb\n", { format: "TDF" }, [["a", "b"]]],
    ["a\tb\n", { delimiter: "\\t" }, [["a", "b"]]],
    ["a\n\n\nb\n", {}, [["a"], ["b"]]],
    ["a\n\nb\n", { ignoreEmptyLines: "false" }, [["a"], [""], ["b"]]],
    ["a\n\nb\n", { formatName: "EXCEL" }, [["a"], [""], ["b"]]],
    [' a , "b" ,c\n', { ignoreSurroundingSpaces: "true" }, [["a", "b", "c"]]],
    [' a ," b "\n', { trim: "true" }, [["a", "b"]]],
    [" a ,b\n", {}, [[" a ", "b"]]],
    ["#no\na#b\n", { commentMarker: "#" }, [["a#b"]]],
    ['NULL,"NULL"\n', { nullString: "NULL" }, [[null, "NULL"]]],
    ["a\\,b,c\\nd\n", { escape: "\\" }, [["a,b", "c\nd"]]],
    ["x\t\\N\ta\\tb\n", { formatName: "MYSQL" }, [["x", null, "a\tb"]]],
    ["a,b,\n", { trailingDelimiter: "true" }, [["a", "b"]]],
    ["'a,b',c\n", { quote: "'" }, [["a,b", "c"]]],
    ['"a",b\n', { quoteDisabled: "true" }, [['"a"', "b"]]],
    ["", {}, []],
    [
      "a,\n,b\n,",
      {},
      [
        ["a", ""],
        ["", "b"],
        ["", ""],
      ],
    ],
  ] as const)("%j is read with the options %j", (text, options, expected) => {
    expect(read(text, options as Record<string, string>)).toEqual(expected);
  });

  test("rows are read as maps", () => {
    expect(read("id,name\n1,Ann\n2,Bo\n", { useMaps: "true" })).toEqual([
      { id: "1", name: "Ann" },
      { id: "2", name: "Bo" },
    ]);
    expect(read("id,name\n1,Ann\n", { useMaps: "true", header: "k,v", skipHeaderRecord: "true" })).toEqual([{ k: "1", v: "Ann" }]);
    expect(read("1,Ann\n", { useMaps: "true", header: "k,v" })).toEqual([{ k: "1", v: "Ann" }]);
    expect(read("a,b\n1\n1,2,3\n", { useOrderedMaps: "true" })).toEqual([{ a: "1" }, { a: "1", b: "2" }]);
    expect(Object.keys((read("__proto__\n1\n", { useMaps: "true" }) as object[])[0] as object)).toEqual(["__proto__"]);
  });

  test("captureHeaderRecord stores the column names in a message header", () => {
    const exchange = exchangeOf("id,name\n1,Ann\n");
    expect(format({ useMaps: "true", captureHeaderRecord: "true" }).unmarshal("id,name\n1,Ann\n", exchange)).toHaveLength(1);
    expect(exchange.message.headers.get("CamelCsvHeaderRecord")).toEqual(["id", "name"]);
  });

  test("lazy rows are read on demand: an error in row 3 does not affect row 1", () => {
    const rows = read(`a\nb\n"x"y\n${"c\n".repeat(100_000)}`, { lazyLoad: "true" }) as Iterator<unknown>;
    expect(rows.next().value).toEqual(["a"]);
    expect(rows.next().value).toEqual(["b"]);
    expect(() => rows.next()).toThrowError(/line 3/);
  });

  test("a stream is read in chunks, eagerly and lazily", async () => {
    const stream = () =>
      (async function* () {
        for (const piece of ["id,na", "me\r", '\n1,"A', '""', 'nn"\r\n', "2,B\u00f6"]) yield new TextEncoder().encode(piece);
      })();
    expect(await read(stream(), { useMaps: "true" })).toEqual([
      { id: "1", name: 'A"nn' },
      { id: "2", name: "Bö" },
    ]);
    const records: unknown[] = [];
    for await (const row of read(stream(), { lazyLoad: "true" }) as AsyncIterable<unknown>) records.push(row);
    expect(records).toEqual([
      ["id", "name"],
      ["1", 'A"nn'],
      ["2", "Bö"],
    ]);
  });

  test.each([
    ['"a', "ends inside a quoted value"],
    ['x\n"a"b\n', "unexpected text after a quoted value (line 2)"],
  ])("%j is rejected", (text, message) => {
    expect(() => read(text)).toThrowError(expect.objectContaining({ code: "invalid-csv", message: expect.stringContaining(message) }));
  });

  test("columns without names are rejected unless allowed", () => {
    expect(() => read("a,\n1,2\n", { useMaps: "true" })).toThrowError(/has no name/);
    expect(read("a,\n1,2\n", { useMaps: "true", allowMissingColumnNames: "true" })).toEqual([{ a: "1", "": "2" }]);
  });
});

describe("writing", () => {
  test.each([
    [
      [
        ["a", "b"],
        [1, null],
      ],
      {},
      "a,b\r\n1,\r\n",
    ],
    [
      [
        { id: 1, name: "Ann" },
        { id: 2, name: "Bo" },
      ],
      { recordSeparator: "\n" },
      "1,Ann\n2,Bo\n",
    ],
    [{ id: 1, name: "Ann" }, {}, "1,Ann\r\n"],
    [["a", "b"], {}, "a,b\r\n"],
    [[new Map([["k", "v"]])], {}, "v\r\n"],
    [[{ b: 2, a: 1 }], { header: "a,b", recordSeparator: "\n" }, "a,b\n1,2\n"],
    [[{ b: 2, a: 1 }], { header: "a,b", skipHeaderRecord: "true", recordSeparator: "\n" }, "1,2\n"],
    [[["x,1", 'say "hi"', "two\nlines", " lead", "trail ", ""]], { recordSeparator: "\n" }, '"x,1","say ""hi""","two\nlines"," lead","trail ",\n'],
    [[["", "x"]], { recordSeparator: "\n" }, '"",x\n'],
    [[["a", 1]], { quoteMode: "NON_NUMERIC", recordSeparator: "\n" }, '"a",1\n'],
    [[["a", null]], { quoteMode: "ALL_NON_NULL", nullString: "NULL", recordSeparator: "\n" }, '"a",NULL\n'],
    [[["a\tb", null]], { formatName: "MYSQL" }, "a\\\tb\t\\N\n"],
    [[["a,b"]], { quoteDisabled: "true", recordSeparator: "\n" }, "a,b\n"],
  ] as const)("%j is written with the options %j", (body, options, expected) => {
    expect(write(body, options as Record<string, string>)).toBe(expected);
  });
});

test("an unknown or invalid format is rejected at deploy time", () => {
  expect(() => csvStyle({ formatRef: "papyrus" })).toThrowError(/DEFAULT, EXCEL/);
  expect(() => csvStyle({ quote: "ab" })).toThrowError(/a single character/);
  expect(() => csvStyle({ delimiter: '"' })).toThrowError(/must differ/);
});

test("CSV that is written and then read in chunks of any size gives the same rows", () => {
  const cell = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('"', ",", "\r\n", "\n", " ", "#", "ä", '""', ",,"));
  const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(table, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 }), (rows, sizes) => {
      const text = write(rows) as string;
      const parser = new CsvParser(csvStyle({}));
      const records: unknown[] = [];
      for (let at = 0, piece = 0; at < text.length; piece++) {
        const size = sizes[piece % sizes.length] as number;
        records.push(...parser.push(text.slice(at, at + size)));
        at += size;
      }
      records.push(...parser.end());
      expect(records).toEqual(rows);
    }),
    { numRuns: 300 },
  );
});
