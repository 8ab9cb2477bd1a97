// Our parsers against other implementations, over generated inputs. SLUICE_SEED generates others.
import { createRequire } from "node:module";
import { csvRecords, scanXml, type XmlAttribute } from "@sluice/engine/values";
import { FakeHost, languageUnderTest } from "@sluice/testkit";
import fc from "fast-check";
import { jsonpath as rfcPath, type JSONValue } from "json-p3";
import { SaxesParser } from "saxes";
import { describe, expect, it } from "vitest";
import { jsonpath } from "../../packages/standard/src/languages/jsonpath/jsonpath.ts";

const seed = Number(process.env["SLUICE_SEED"] ?? 20_261_119);
const settings = { seed, numRuns: 3_000 };

describe("CSV, compared with papaparse", () => {
  interface Parsed {
    readonly data: readonly string[][];
    readonly errors: readonly unknown[];
  }
  const papa = createRequire(import.meta.url)("papaparse") as { parse(text: string, options: object): Parsed };
  const cell = fc.string({ unit: fc.constantFrom("a", "é", " ", ",", ";", '"', "\n", "'", "#", "\\"), maxLength: 5 });
  const quoted = (text: string): string => (/[",;\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  /** A line break at the end does not begin another record; papaparse returns an empty one. */
  const theirRecords = ({ data }: Parsed, text: string): readonly string[][] => (text === "" || text.endsWith("\n") ? data.slice(0, -1) : data);

  it.each([
    [",", "\n"],
    [";", "\r\n"],
  ])("reads the same records with the delimiter '%s'", (delimiter, newline) => {
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }), fc.boolean(), (rows, isEnded) => {
        const text = rows.map((row) => row.map(quoted).join(delimiter)).join(newline) + (isEnded ? newline : "");
        const theirs = papa.parse(text, { delimiter, newline });
        expect(theirs.errors).toEqual([]);
        expect([...csvRecords(text, { delimiter, quote: '"' })]).toEqual(theirRecords(theirs, text));
      }),
      settings,
    );
  });

  it("reads any text as the same records, or at least one of both reports an error", () => {
    let compared = 0;
    const characters = fc.string({ unit: fc.constantFrom("a", "b", ",", '"', "\n", " "), maxLength: 14 });
    fc.assert(
      fc.property(characters, (text) => {
        const theirs = papa.parse(text, { delimiter: ",", newline: "\n" });
        if (theirs.errors.length > 0) return;
        let ours: unknown;
        try {
          ours = [...csvRecords(text, { delimiter: ",", quote: '"' })];
        } catch {
          return;
        }
        compared++;
        expect(ours).toEqual(theirRecords(theirs, text));
      }),
      settings,
    );
    expect(compared).toBeGreaterThan(settings.numRuns / 4);
  });
});

describe("XML, compared with saxes", () => {
  type Event = readonly unknown[];
  const limits = { maxCharacters: 1e6, maxDepth: 100, maxElements: 10_000, maxAttributes: 100 };

  /** Adjacent text is one event: both may split it anywhere, and saxes reports CDATA separately. */
  function recorder() {
    const events: unknown[][] = [];
    return {
      events,
      add: (...event: unknown[]): void => void events.push(event),
      text(text: string): void {
        const last = events.at(-1);
        if (last?.[0] === "text") last[1] = `${String(last[1])}${text}`;
        else if (text !== "") events.push(["text", text]);
      },
    };
  }

  function ours(text: string): readonly Event[] | undefined {
    const { events, add, text: addText } = recorder();
    const attributesOf = (attributes: readonly XmlAttribute[]) => attributes.map(({ name, value }) => [name.written, name.namespace, value]);
    try {
      scanXml(text, limits, {
        open: (name, attributes) => add("open", name.written, name.namespace, attributesOf(attributes)),
        close: () => add("close"),
        text: addText,
        comment: (comment) => add("comment", comment),
        instruction: (target, body) => add("instruction", target, body),
      });
    } catch {
      return undefined;
    }
    return events;
  }

  function theirs(text: string): readonly Event[] | undefined {
    const { events, add, text: addText } = recorder();
    const parser = new SaxesParser({ xmlns: true });
    let depth = 0;
    parser.on("error", (error) => {
      throw error;
    });
    parser.on("opentag", ({ name, uri, attributes }) => {
      depth++;
      add(
        "open",
        name,
        uri,
        Object.values(attributes).map((attribute) => [attribute.name, attribute.uri, attribute.value]),
      );
    });
    parser.on("closetag", () => {
      depth--;
      add("close");
    });
    // Both allow whitespace around the root element, but only saxes reports it.
    parser.on("text", (found) => void (depth > 0 && addText(found)));
    parser.on("cdata", addText);
    parser.on("comment", (comment) => add("comment", comment));
    parser.on("processinginstruction", ({ target, body }) => add("instruction", target, body));
    try {
      parser.write(text).close();
    } catch {
      return undefined;
    }
    return events;
  }

  const name = fc.constantFrom("a", "b", "p:a", "q:b", "é", "_x-1.2");
  const content = fc.constantFrom("x", " ", "\n", "\r\n", "é", "&lt;", "&#65;", "&#x1F600;", "&amp;", ">", "]]", "<![CDATA[<&]]>", "<!--c-->", "<?pi d ?>");
  const attribute = fc.constantFrom(
    ' k="1"',
    " k='&quot;'",
    '\n p:k = "2"',
    ' xmlns="u"',
    ' xmlns:p="v"',
    ' xmlns:q="v"',
    ' q:k="3"',
    ' k="a\tb\nc"',
    ' xml:lang="de"',
  );
  const { element } = fc.letrec<{ element: string }>((tie) => ({
    element: fc
      .tuple(name, fc.array(attribute, { maxLength: 3 }), fc.array(fc.oneof({ maxDepth: 3 }, content, tie("element")), { maxLength: 4 }))
      .map(([tag, attributes, inner]) =>
        inner.length === 0 ? `<${tag}${attributes.join("")}/>` : `<${tag}${attributes.join("")}>${inner.join("")}</${tag} >`,
      ),
  }));
  /** Prefixes are declared, so that most documents are well-formed. */
  const document = fc
    .tuple(fc.constantFrom("", "\ufeff", '<?xml version="1.0"?>', "<!--c-->\n"), element, fc.constantFrom("", "\n", "<?end?>"))
    .map(([before, root, after]) => `${before}<r xmlns:p="v" xmlns:q="w">${root}</r>${after}`);

  it("finds the same elements, attributes, namespaces and text", () => {
    let wellFormed = 0;
    fc.assert(
      fc.property(document, (text) => {
        const expected = theirs(text);
        if (expected !== undefined) wellFormed++;
        expect(ours(text)).toEqual(expected);
      }),
      settings,
    );
    expect(wellFormed).toBeGreaterThan(settings.numRuns / 3);
  });

  /** Known difference: saxes removes whitespace around a namespace, which XML does not for an attribute without a declared type. */
  const paddedNamespace = /xmlns(?::[^\s=]*)?\s*=\s*(?:"(?:\s|[^"]*\s")|'(?:\s|[^']*\s'))/;
  /** Known difference: saxes accepts `<?target?data?>`, where XML requires whitespace after the target. */
  const unseparatedTarget = /<\?[^\s?>]+\?(?!>)/;

  it("rejects damaged documents like saxes", () => {
    const damage = fc.constantFrom(
      "",
      "<",
      ">",
      "&",
      '"',
      "/",
      "=",
      " ",
      "--",
      "]]>",
      "</a>",
      "<a>",
      "<!",
      "<?",
      "?>",
      ":",
      "&#0;",
      "&x;",
      "\u0001",
      "xmlns:p=''",
    );
    fc.assert(
      fc.property(document, fc.nat(), fc.nat({ max: 3 }), damage, (text, position, removed, inserted) => {
        const at = position % text.length;
        const damaged = text.slice(0, at) + inserted + text.slice(at + removed);
        fc.pre(!paddedNamespace.test(damaged) && !unseparatedTarget.test(damaged));
        expect(ours(damaged)).toEqual(theirs(damaged));
      }),
      settings,
    );
  });
});

describe("JSONPath, compared with json-p3", () => {
  const { evaluate } = languageUnderTest(jsonpath, { host: new FakeHost() });
  const options = { option: "ALWAYS_RETURN_LIST", suppressExceptions: "true" };
  const key = fc.constantFrom("a", "b", "c d", "é");
  const { value } = fc.letrec<{ value: JSONValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<JSONValue>(null, true, false, 0, 1, 2.5, "a", "b", ""),
      fc.array(tie("value"), { maxLength: 4 }) as fc.Arbitrary<JSONValue>,
      fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<JSONValue>,
    ),
  }));
  const root = fc.oneof(fc.array(value, { minLength: 1, maxLength: 4 }), fc.dictionary(key, value, { minKeys: 1, noNullPrototype: true }));
  const index = fc.integer({ min: -4, max: 4 });
  const bound = fc.oneof(fc.constant(""), index.map(String));
  const member = key.map((text) => `['${text}']`);
  // Strings that contain numbers are not compared: in the Jayway dialect, 1 == '1'.
  const condition = fc.oneof(
    member.map((text) => `@${text}`),
    fc
      .tuple(member, fc.constantFrom("==", "<", "<=", ">", ">="), fc.constantFrom("0", "1", "2.5"))
      .map(([left, operator, right]) => `@${left} ${operator} ${right}`),
    fc.tuple(member, fc.constantFrom("'a'", "'b'", "true")).map(([left, right]) => `@${left} == ${right}`),
  );
  const segment = fc.oneof(
    member,
    fc.constantFrom(".a", ".b", ".*", "[*]", "..a", "..*"),
    index.map((text) => `[${text}]`),
    fc.tuple(bound, bound).map(([from, to]) => `[${from}:${to}]`),
  );

  // In the Jayway dialect, a filter of an object tests the object itself; in RFC 9535, its members. Filters are compared on lists.
  const filter = fc.oneof(
    condition.map((text) => `[?(${text})]`),
    fc.tuple(condition, fc.constantFrom("&&", "||"), condition).map(([left, operator, right]) => `[?(${left} ${operator} ${right})]`),
  );

  it("selects the same values in the same order", () => {
    let found = 0;
    fc.assert(
      fc.property(root, fc.array(segment, { minLength: 1, maxLength: 4 }), (body, segments) => {
        const path = `$${segments.join("")}`;
        const expected = rfcPath.query(path, body as JSONValue).values();
        if (expected.length > 0) found++;
        // A definite path without a match is null.
        expect(evaluate(path, { body, options }) ?? []).toEqual(expected);
      }),
      settings,
    );
    expect(found).toBeGreaterThan(settings.numRuns / 10);
  });

  it("filters the same items of a list", () => {
    let found = 0;
    const items = fc.array(fc.oneof(value, fc.dictionary(key, value, { noNullPrototype: true })), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(items, filter, fc.constantFrom("", "['a']"), (body, test, rest) => {
        const path = `$${test}${rest}`;
        const expected = rfcPath.query(path, body as JSONValue).values();
        if (expected.length > 0) found++;
        expect(evaluate(path, { body, options })).toEqual(expected);
      }),
      settings,
    );
    expect(found).toBeGreaterThan(settings.numRuns / 10);
  });
});
