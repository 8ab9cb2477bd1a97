import { parseIsoDate, zoneOf } from "@sluice/engine/values";
import { callGrowth } from "@sluice/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { functionNames } from "../compile/call-compiler.ts";
import { evaluate } from "../mapping-under-test.test-support.ts";

const body = {
  list: [3, "10", 2, null],
  words: ["b", "a", "b"],
  price: "1.005",
  day: "2024-01-31",
  at: "2024-03-01T10:20:30Z",
  far: "2026-12-31T23:30:00-05:00",
  empty: "",
  blank: null,
  object: { a: 1, b: 2 },
};

const cases: readonly (readonly [string, unknown])[] = [
  ["text(5)", "5"],
  ["urlEncode('a b\ud800')", "a%20b%EF%BF%BD"],
  ["string(true)", "true"],
  ["length('a😀b')", 3],
  ["left('😀ab', 1)", "😀"],
  ["right('ab😀', 1)", "😀"],
  ["right('ab', 5)", "ab"],
  ["substring('😀abc', 1, 2)", "ab"],
  ["substring('ab😀c', -2)", "😀c"],
  ["substring('abc', 9)", ""],
  ["indexOf('😀b', 'b')", 1],
  ["padStart('😀', 3, 'x')", "xx😀"],
  ["padEnd('a', 4, '😀-')", "a😀-😀"],
  ["padEnd('a', 4, '')", "a"],
  ["padStart('abc', 2)", "abc"],
  ["capitalize('𐐨b')", "𐐀b"],
  ["upper('aß')", "ASS"],
  ["lower('AB')", "ab"],
  ["capitalize('ab cd')", "Ab cd"],
  ["trim('  a ')", "a"],
  ["trimStart(' a ')", "a "],
  ["trimEnd(' a ')", " a"],
  ["normalizeSpace('  a \n b ')", "a b"],
  ["length('abc')", 3],
  ["length(list)", 4],
  ["length(blank)", 0],
  ["substring('abcdef', 2)", "cdef"],
  ["substring('abcdef', 1, 3)", "bcd"],
  ["substring('abcdef', -2)", "ef"],
  ["left('abcdef', 2)", "ab"],
  ["right('abcdef', 2)", "ef"],
  ["substringBefore('a-b-c', '-')", "a"],
  ["substringAfter('a-b-c', '-')", "b-c"],
  ["padStart(7, 3, '0')", "007"],
  ["padEnd('a', 3)", "a  "],
  ["trimZeros('0007')", "7"],
  ["trimZeros('000')", "0"],
  ["repeat('ab', 2)", "abab"],
  ["replace('a.b.c', '.', '$1')", "a$1b$1c"],
  ["replacePattern('a1b22', '[0-9]+', '<$0>')", "a<1>b<22>"],
  ["matches('AB-12', '[A-Z]+-[0-9]+')", true],
  ["extract('order 4711 ok', '([0-9]+)', 1)", "4711"],
  ["contains('abc', 'b')", true],
  ["contains(words, 'a')", true],
  ["startsWith('abc', 'ab')", true],
  ["endsWith('abc', 'bc')", true],
  ["indexOf('abc', 'c')", 2],
  ["indexOf(words, 'b')", 0],
  ["split('a,b,c', ',')", ["a", "b", "c"]],
  ["concat('a', 1, blank, true)", "a1true"],
  ["join(words, '-')", "b-a-b"],
  ["urlEncode('a b&c')", "a%20b%26c"],
  ["json(object)", '{"a":1,"b":2}'],
  ["parseJson('{\"a\":[1]}').a[0]", 1],
  ["number('12.50')", 12.5],
  ["number(empty)", null],
  ["integer(12.9)", 12],
  ["round(price, 2)", 1.01],
  ["round(-2.5)", -3],
  ["floor(-1.5)", -2],
  ["ceil(1.2)", 2],
  ["abs(-3)", 3],
  ["sign(-3)", -1],
  ["power(2, 10)", 1024],
  ["sqrt(9)", 3],
  ["formatNumber(1234567.5, '#,##0.00')", "1,234,567.50"],
  ["formatNumber(7, '0000')", "0007"],
  ["formatNumber(-0.004, '0.00')", "0.00"],
  ["formatNumber(12.3, 'EUR 0.0#')", "EUR 12.3"],
  ["formatNumber(0, '#')", "0"],
  ["formatNumber(0, '#.##')", "0"],
  ["formatNumber(0.5, '#.##')", ".5"],
  ["formatNumber(0, '.00')", ".00"],
  ["formatNumber(123456789012.345, '#,##0.00####')", "123,456,789,012.345"],
  ["formatNumber(0.1, '0.####################')", "0.1"],
  ["formatNumber(0.00000015, '0.00####')", "0.00"],
  ["formatNumber(0.0000015, '0.00####')", "0.000002"],
  ["formatNumber(0.00000015, '0.0##########')", "0.00000015"],
  ["formatNumber(99999.995, '#,##0.00')", "100,000.00"],
  ["parseNumber(empty)", null],
  ["parseNumber(12.5, ',')", 12.5],
  ["round(1250, -2)", 1300],
  ["round(-1249, -2)", -1200],
  ["round(7, -400)", 0],
  ["round(0.04, 1)", 0],
  ["round(0.05, 1)", 0.1],
  ["round(9.995, 2)", 10],
  ["round(1.4999999999999998)", 1],
  ["round(1e-20, 20)", 1e-20],
  ["formatNumber(0.0000168885254537932, '#,##0.####################')", "0.0000168885254537932"],
  ["formatNumber(0.00000005, '0.0000000')", "0.0000001"],
  ["round(2.55, 1.9)", 2.6],
  ["isNumber('1e999')", false],
  ["max('1e999', 'a')", "a"],
  ["equals('20.00', 20)", true],
  ["equals(20, ' 20 ')", true],
  ["equals(20, '20.01')", false],
  ["equals(0, empty)", false],
  ["contains(['1.50'], 1.5)", true],
  ["sort([blank, 2, blank, 'b', 1])", [1, 2, "b", null, null]],
  ["parseNumber('1.234,50', ',')", 1234.5],
  ["parseNumber('1,234.50')", 1234.5],
  ["isNumber('1e3')", true],
  ["isNumber('x')", false],
  ["sum(list)", 15],
  ["sum(1, 2, 3)", 6],
  ["sum(blank)", 0],
  ["avg(list)", 5],
  ["avg(blank)", null],
  ["min(list)", 2],
  ["max(list)", 10],
  ["max('2024-02-01', '2024-01-31')", "2024-02-01"],
  ["date('20240229')", "2024-02-29"],
  ["date(at)", "2024-03-01"],
  ["dateTime('2024-03-01T12:00:00+02:00')", "2024-03-01T10:00:00.000Z"],
  ["time(at)", "10:20:30"],
  ["formatDate(at, 'dd.MM.yyyy HH:mm')", "01.03.2024 10:20"],
  ["formatDate(at, 'HH:mm', 'Europe/Berlin')", "11:20"],
  ["parseDate('01.03.2024', 'dd.MM.yyyy')", "2024-03-01"],
  ["parseDate('240301', 'yyMMdd')", "2024-03-01"],
  ["parseDate('01-Mar-2024 11:20', 'dd-MMM-yyyy HH:mm', 'Europe/Berlin')", "2024-03-01T10:20:00.000Z"],
  ["time('09:30:00')", "09:30:00"],
  ["time(far)", "23:30:00"],
  ["date(far)", "2026-12-31"],
  ["date('2026-11-14+02:00')", "2026-11-14"],
  ["date('2026-11-14 23:30:00-05:00')", "2026-11-14"],
  ["year(far)", 2026],
  ["month(far)", 12],
  ["day(far)", 31],
  ["dateTime(far)", "2027-01-01T04:30:00.000Z"],
  ["formatDate(far, 'yyyy')", "2027"],
  ["parseDate('14.11.2026', 'dd.MM.yyyy', 'Europe/Berlin')", "2026-11-14"],
  ["parseDate('2026-11-14+02:00', 'yyyy-MM-ddXXX')", "2026-11-14"],
  ["parseDate('2026-11-14 Mon', \"yyyy-MM-dd' Mon'\")", "2026-11-14"],
  ["parseDate('30.000123', 'ss.SSSSSS')", "1970-01-01T00:00:30.000Z"],
  ["parseDate('30.123456', 'ss.SSSSSS')", "1970-01-01T00:00:30.123Z"],
  ["parseDate(empty, 'yyyy')", null],
  ["addDays('20261114', 1)", "2026-11-15"],
  ["addDays(20261130, 1)", "2026-12-01"],
  ["addHours('2026-11-14', 1)", "2026-11-14T01:00:00.000Z"],
  ["daysBetween(empty, day)", null],
  ["daysBetween(day, empty)", null],
  ["epochMillis('1970-01-02')", 86_400_000],
  ["addDays('2024-02-28', 2)", "2024-03-01"],
  ["addMonths(day, 1)", "2024-02-29"],
  ["addYears('2024-02-29', 1)", "2025-02-28"],
  ["addHours(at, 14)", "2024-03-02T00:20:30.000Z"],
  ["addMinutes(at, 40)", "2024-03-01T11:00:30.000Z"],
  ["daysBetween('2024-02-28', '2024-03-01')", 2],
  ["daysBetween('2026-11-10', '2026-11-14T09:30:00Z')", 4],
  ["daysBetween('2026-11-14T09:30:00Z', '2026-11-10')", -4],
  ["daysBetween('2026-11-14T09:30:00Z', '2026-11-14')", 0],
  ["year(day)", 2024],
  ["month(day)", 1],
  ["day(day)", 31],
  ["count(list)", 4],
  ["count(object)", 1],
  ["count(blank)", 0],
  ["first(words)", "b"],
  ["last(words)", "b"],
  ["at(words, 1)", "a"],
  ["slice(words, 1, 2)", ["a"]],
  ["reverse(words)", ["b", "a", "b"]],
  ["sort(list)", [2, 3, "10", null]],
  ["distinct(words)", ["b", "a"]],
  ["flatten([[1], [2, 3]])", [1, 2, 3]],
  ["append(words, 'c')", ["b", "a", "b", "c"]],
  ["range(2, 4)", [2, 3, 4]],
  ["keys(object)", ["a", "b"]],
  ["values(object)", [1, 2]],
  ["exists(blank)", false],
  ["exists(words)", true],
  ["empty(empty)", true],
  ["isNull(nothing)", true],
  ["not(true)", false],
  ["boolean('false')", false],
  ["equals(1, '1')", true],
  ["default(empty, 'x')", "x"],
  ["all([true, 1])", true],
  ["any([false, 0])", false],
  ["if(count(words) > 2, 'many', 'few')", "many"],
  ["if(false, 1 / 0)", null],
  ["coalesce(blank, empty, 'x', 1 / 0)", "x"],
];

describe("functions", () => {
  it.each(cases)("evaluate %s", (expr, expected) => {
    expect(evaluate(expr, body)).toEqual(expected);
  });

  it("are all covered by these cases", () => {
    const elsewhere = ["lookup", "now", "today"];
    const untested = functionNames.filter((name) => !elsewhere.includes(name) && !cases.some(([expr]) => expr.startsWith(`${name}(`)));
    expect(untested).toEqual([]);
  });

  it("return null for null", () => {
    for (const name of ["upper", "trim", "number", "floor", "date", "year", "text"]) expect(evaluate(`${name}(blank)`, body)).toBeNull();
  });

  it.each([
    ["date('soon')", 'x: expected a date, got "soon"'],
    ["parseDate('31.02.2024', 'dd.MM.yyyy')", 'x: expected a date like dd.MM.yyyy, got "31.02.2024"'],
    ["parseDate('2026111', 'yyyyMMdd')", 'x: expected a date like yyyyMMdd, got "2026111"'],
    ["parseDate(at, text('EEE'))", "x: 'E' cannot be used to parse a date: use y, M, d, H, m, s, S, X or Z"],
    ["day(words[0])", 'x: expected a date, got "b" [source words[0]]'],
    ["formatDate(at, 'HH', 'Mars/Base')", "x: unknown time zone 'Mars/Base'"],
    ["formatNumber(1, text('abc'))", "x: 'abc' is not a number pattern: use one like #,##0.00"],
    ["parseNumber('x')", 'x: expected a number, got "x"'],
    ["parseNumber('12', '')", "x: the decimal mark of parseNumber must be a character such as '.' or ',', got \"\""],
    ["matches('a', text('(?=b)'))", "x: the regular expression '(?=b)' is invalid"],
    ["sum(words)", 'x: expected a number, got "b"'],
    ["parseJson('{')", "x: parseJson: the text is not valid JSON"],
  ])("%s fails", (expr, message) => {
    expect(() => evaluate(expr, body)).toThrow(message);
  });

  it("do not split surrogate pairs", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "é", "😀", "𐐨") });
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 12 }), (t, n) => {
        const { left, rest, right, padded } = {
          left: evaluate("left(t, n)", { t, n }),
          rest: evaluate("substring(t, n)", { t, n }),
          right: evaluate("right(t, n)", { t, n }),
          padded: evaluate("padStart(t, n, '😀')", { t, n }),
        };
        expect(`${left as string}${rest as string}`).toBe(t);
        expect([...(right as string)]).toEqual(n === 0 ? [] : [...t].slice(-n));
        expect([...(padded as string)].length).toBe(Math.max(n, [...t].length));
      }),
    );
  });

  it("write every number so that it parses back", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e15, max: 1e15, noNaN: true }).map((number) => Number(number.toPrecision(15))),
        (number) => {
          const text = evaluate("formatNumber(n, '#,##0.####################')", { n: number });
          expect(Math.abs((evaluate("parseNumber(t)", { t: text }) as number) - number)).toBeLessThanOrEqual(1e-20);
        },
      ),
    );
  });

  it("accept only real calendar days", () => {
    const part = (max: number, length = 2) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(length, "0"));
    fc.assert(
      fc.property(
        part(2500, 4),
        part(13),
        part(32),
        fc.constantFrom("", "T10:20Z", "T24:00:00Z", "T10:20:30.5+02:00", "T10", "x"),
        (year, month, day, time) => {
          const text = `${year}-${month}-${day}${time}`;
          const isDate = parseIsoDate(text, zoneOf("UTC")) !== undefined;
          if (isDate) expect(evaluate("date(d)", { d: text })).toBe(text.slice(0, 10));
          else expect(() => evaluate("date(d)", { d: text })).toThrow("expected a date");
        },
      ),
    );
  });

  it("take linear time for a malicious pattern", async () => {
    const growth = await callGrowth((size) => expect(evaluate("matches(text, '(a+)+b')", { text: "a".repeat(size) })).toBe(false), 500);
    expect(growth).toBeLessThan(10);
  });
});
