// Tests which options and values formats reject: unknown options at installation, values that would corrupt the text at run time.
import { describe, expect, it } from "vitest";
import { problemsOf, runMapping } from "../mapping-under-test.test-support.ts";

type Side = Readonly<Record<string, unknown>>;
const json = { format: "json" };
const faultsOf = (source: Side, target: Side = json): readonly string[] => problemsOf({ source, target, map: [] });
const read = (source: Side, input: string, from: string): unknown => {
  const { output, errors } = runMapping({ source, target: json, map: [{ to: "x", from }] }, input);
  return errors[0]?.message ?? (output as { x?: unknown }).x;
};
/** The output for a body copied member by member. */
const write = (target: Side, body: Readonly<Record<string, unknown>>): unknown => {
  const map = Object.keys(body).map((name) => ({ to: `['${name}']`, from: `['${name}']` }));
  const { output, errors } = runMapping({ source: json, target, map }, body);
  return errors[0]?.message ?? output;
};

describe("options", () => {
  const field = { name: "a", start: 1, length: 2 };

  it.each<[string, Side, string]>([
    ["csv header", { format: "csv", header: "yes" }, "source.header: expected true or false"],
    ["csv columns", { format: "csv", columns: ["a", "b", "a"] }, "source.columns: duplicate name: give each column a different name"],
    ["edi lineBreaks", { format: "edi", lineBreaks: 1 }, "source.lineBreaks: expected true or false"],
    ["xml declaration", { format: "xml", declaration: "no" }, "source.declaration: expected true or false"],
    ["xml root", { format: "xml", root: "a:R" }, "source.root: the prefix of 'a:R' is not declared in 'namespaces'"],
    ["xml prefix", { format: "xml", namespaces: { "a b": "urn:x" } }, "source.namespaces: 'a b' is not a valid namespace prefix"],
    ["xml xmlns", { format: "xml", namespaces: { xmlns: "urn:x" } }, "source.namespaces: 'xmlns' is not a valid namespace prefix"],
    ["xml uri", { format: "xml", namespaces: { a: "" } }, "source.namespaces: expected an object of prefixes and namespace URIs"],
    ["fixed field", { format: "fixed", fields: [{ ...field, padd: "0" }] }, "source.fields[0]: unknown property 'padd' (did you mean 'pad'?)"],
    ["fixed record", { format: "fixed", records: { H: { mach: "H", fields: [field] } } }, "source.records[0]: unknown property 'mach' (did you mean 'match'?)"],
    [
      "fixed both",
      { format: "fixed", fields: [field], records: { H: { fields: [field] } } },
      "source: a fixed format needs either 'fields' or 'records', not both",
    ],
    ["schema", { format: "json", schema: "order.json" }, "source.schema: expected a JSON Schema: an object, true or false"],
  ])("an invalid value is rejected: %s", (_name, side, fault) => {
    expect(faultsOf(side)).toEqual([fault]);
    expect(faultsOf(json, side)).toEqual([fault.replace("source", "target")]);
  });

  it("a schema may be true, which allows anything", () => {
    expect(faultsOf({ format: "json", schema: true })).toEqual([]);
  });
});

describe("CSV", () => {
  it("loses no column: an unnamed or duplicate one is named by its position", () => {
    expect(read({ format: "csv" }, "a,a,,b\n1,2,3,4", "rows")).toEqual([{ a: "1", c2: "2", c3: "3", b: "4" }]);
  });

  it("loses no row: a single empty value is quoted", () => {
    const text = write({ format: "csv" }, { rows: [{ a: 1 }, { a: null }, { a: 3 }] });
    expect(text).toBe('a\r\n1\r\n""\r\n3\r\n');
    expect(read({ format: "csv" }, text as string, "rows")).toEqual([{ a: "1" }, { a: "" }, { a: "3" }]);
  });

  it("without a quote character rejects values that need one", () => {
    expect(write({ format: "csv", quote: "" }, { rows: [{ a: 1, b: "x;y" }] })).toBe("a,b\r\n1,x;y\r\n");
    for (const text of ["x,y", "x\ny", "x\ry"])
      expect(write({ format: "csv", quote: "" }, { rows: [{ a: 1, b: text }] })).toBe(
        `${JSON.stringify(text)} contains a delimiter or a line break, but the target has no quote character: set 'quote'`,
      );
  });

  it("is empty without rows, and an error when something else is mapped", () => {
    expect(write({ format: "csv" }, {})).toBe("");
    expect(write({ format: "csv" }, { rows: [] })).toBe("");
    expect(write({ format: "csv", columns: ["a"], header: true }, {})).toBe("a\r\n");
    expect(write({ format: "csv" }, { row: [{ a: 1 }] })).toBe("a CSV target needs 'rows', a list of objects");
  });
});

describe("fixed lines", () => {
  it("reject a line break, which would start another record", () => {
    const target = { format: "fixed", fields: [{ name: "a", start: 1, length: 8 }] };
    for (const text of ["x\ny", "x\r"])
      expect(write(target, { rows: [{ a: text }] })).toBe(
        `line 1, field 'a': ${JSON.stringify(text)} contains a line break, which is not allowed in a fixed-width line`,
      );
  });
});

describe("EDI", () => {
  const x12 = { format: "edi", dialect: "x12" };
  const isa = "ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *261114*0930*^*00501*000000007*0*P*>~";
  const sent = {
    e1: "00",
    e3: "00",
    e5: "ZZ",
    e6: "SENDER",
    e7: "ZZ",
    e8: "RECEIVER",
    e9: "261114",
    e10: "0930",
    e11: "^",
    e12: "00501",
    e13: 7,
    e14: "0",
    e15: "P",
  };

  it("an X12 envelope is written with fixed widths, and the segments after it with the separators that it declares", () => {
    expect(write(x12, { ISA: { ...sent, e16: ">" }, PO1: { e1: { c1: "VP", c2: "X:1" }, e2: ["A", "B"] } })).toBe(`${isa}PO1*VP>X:1*A^B~`);
    expect(write(x12, { ISA: sent, PO1: { e1: { c1: "VP", c2: "X" } } })).toBe(`${isa.replace(">~", ":~")}PO1*VP:X~`);
    expect(read(x12, write(x12, { ISA: { ...sent, e16: ">" }, ST: { e1: "850" } }) as string, "ISA.e6")).toBe("SENDER         ");
  });

  it("an X12 envelope rejects values that are too long or contain a separator", () => {
    expect(write(x12, { ISA: { ...sent, e6: "A VERY LONG SENDER" } })).toBe('"A VERY LONG SENDER" is longer than the 15 characters of ISA.e6');
    expect(write(x12, { ISA: { ...sent, e6: "A*B" } })).toBe('"A*B" contains a separator, which ISA.e6 cannot escape');
  });

  it("an asterisk is ordinary text in syntax versions before 4", () => {
    const freeText = (head: string): unknown => read({ format: "edi" }, `${head}FTX+AAI+++5*3'`, "FTX.e4");
    expect([freeText("UNB+UNOC:3+A+B+261114:0930+1'"), freeText("UNB+UNOA:1+A+B'"), freeText("UNA:+.? '")]).toEqual(["5*3", "5*3", "5*3"]);
    expect([freeText("UNB+UNOW:4+A+B'"), freeText("UNA:+.?*'"), freeText("")]).toEqual([
      ["5", "3"],
      ["5", "3"],
      ["5", "3"],
    ]);
    const unb = (version: string): unknown => ({ e1: { c1: "UNOC", c2: version } });
    expect(write({ format: "edi" }, { UNB: unb("3"), FTX: { e4: "5*3" } })).toBe("UNB+UNOC:3'FTX++++5*3'");
    expect(write({ format: "edi" }, { UNB: unb("4"), FTX: { e4: ["5", "3*"] } })).toBe("UNB+UNOC:4'FTX++++5*3?*'");
  });

  it("unknown elements are rejected, not omitted", () => {
    for (const name of ["e0", "e1001", "e99999"])
      expect(write({ format: "edi" }, { LIN: { [name]: "x" } })).toBe(`segment LIN has no element '${name}': use e1 to e1000`);
  });
});

describe("XML", () => {
  const target = { format: "xml", root: "o:R", namespaces: { o: "urn:o" }, declaration: false };

  it("rejects an undeclared prefix, and accepts one that an element declares", () => {
    expect(write(target, { "o:a": 1, "q:b": 2 })).toBe("the namespace prefix of 'q:b' is not declared");
    expect(write(target, { "o:a": { "@q:b": 2 } })).toBe("the namespace prefix of 'q:b' is not declared");
    expect(write(target, { "q:b": { "@xmlns:q": "urn:q", "q:c": 1 }, "@xml:lang": "en" })).toBe(
      '<o:R xmlns:o="urn:o" xml:lang="en"><q:b xmlns:q="urn:q"><q:c>1</q:c></q:b></o:R>',
    );
    expect(write(target, { x: { "@xmlns:q": "urn:q" }, "q:b": 1 })).toBe("the namespace prefix of 'q:b' is not declared");
  });
});

describe("expansion limits", () => {
  it("apply to CSV rows that are much shorter than the header, in both directions", () => {
    const wide = `${"a,".repeat(20_000)}z\n${"1\n".repeat(20_000)}`;
    expect(read({ format: "csv" }, wide, "rows")).toBe("size limit: the rows of the CSV are shorter than its header by more than 1000000 cells");
    const rows = Array.from({ length: 5_000 }, (_, index) => ({ [`k${index}`]: 1 }));
    expect(write({ format: "csv" }, { rows })).toBe("size limit: the CSV has 5000 rows of 5000 columns, more than 4000000 cells");
    expect(read({ format: "csv" }, `a,b,c\n${"1\n".repeat(1_000)}`, "rows[999]")).toEqual({ a: "1", b: null, c: null });
  });

  it("apply to padded lines and segments", () => {
    const many = Array.from({ length: 10_000 }, () => ({ a: "1", e1000: "1" }));
    const longest = "size limit: text must not be longer than 67108864 characters";
    expect(write({ format: "fixed", fields: [{ name: "a", start: 100_000, length: 1 }] }, { rows: many })).toBe(longest);
    expect(write({ format: "edi" }, { LIN: many.map(({ e1000 }) => ({ e1000 })) })).toBe("size limit: the interchange has more than 4000000 elements");
  });

  it("do not apply to namespace declarations, which end with their element", () => {
    let count = 0;
    const tags = Array.from({ length: 400 }, () => `<a${Array.from({ length: 100 }, () => ` xmlns:p${count++}="u"`).join("")}>`);
    expect(read({ format: "xml" }, `${tags.join("")}<b>1</b>${"</a>".repeat(400)}`, `${"a.".repeat(399)}b`)).toBe("1");
    expect(read({ format: "xml" }, `<a><b xmlns:p="u"/><p:c/></a>`, "b")).toMatch(/the namespace prefix of 'p:c' is not declared/);
    expect(read({ format: "xml" }, `<a xmlns:p="u" xmlns:q="u" p:x="1" q:x="2"/>`, "b")).toMatch(/attribute q:x is duplicated/);
  });
});
