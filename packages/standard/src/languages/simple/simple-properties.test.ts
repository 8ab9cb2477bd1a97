import { CompileError, isCompileError } from "@sluice/engine/spi";
import { languageUnderTest } from "@sluice/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { simple } from "./simple.ts";

const { evaluate, matches, scope } = languageUnderTest(simple);

const pieces = fc.constantFrom(
  "${",
  "}",
  "$simple{",
  "body",
  "header.x",
  "'",
  '"',
  " ",
  "\n",
  "\\",
  "==",
  "&&",
  "||",
  " ? ",
  " : ",
  "?:",
  "~>",
  "?~>",
  "++",
  "(",
  ")",
  "[",
  "]",
  ".",
  "?.",
  ",",
  "-1",
  "null",
  "$init{\n",
  "}init$",
  "$a := 1;\n",
  "trim(",
  "list(",
  "date:now",
  "not(",
  "iif(",
  "in",
  "regex",
  "é",
);
const arbitraryText = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join("")),
);

function compiles(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch (fault) {
    if (!isCompileError(fault)) throw fault;
    expect(fault.message).not.toBe("");
    return false;
  }
}

describe("any text", () => {
  it("compiles or is rejected with a CompileError, as expression and as predicate", () => {
    fc.assert(
      fc.property(arbitraryText, (text) => {
        compiles(() => simple.compile(text, {}, scope));
        compiles(() => simple.compilePredicate?.(text, {}, scope));
      }),
      { numRuns: 3000 },
    );
  });

  it("evaluates to itself without special syntax", () => {
    const plain = fc.string({ maxLength: 80 }).filter((text) => !/\$(\{|simple\{)|\\[ntr}]|~>|\?:/.test(text) && text === text.trim());
    fc.assert(
      fc.property(plain, (text) => {
        expect(evaluate(text)).toBe(text);
      }),
    );
  });

  it("passes through a function unchanged", () => {
    fc.assert(
      fc.property(fc.string(), (body) => {
        expect(evaluate("${body}", { body })).toBe(body);
        expect(evaluate("<${body}>", { body })).toBe(`<${body}>`);
        expect(evaluate("${val(${body})}", { body })).toBe(body);
      }),
    );
  });
});

function test(operator: string, a: unknown, b: unknown): boolean {
  return matches(`\${header.a} ${operator} \${header.b}`, { headers: { a, b } }) as boolean;
}

describe("operators", () => {
  const scalar = fc.oneof(
    fc.string({ maxLength: 5 }),
    fc.integer(),
    fc.integer({ min: -20, max: 20 }).map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  );

  it("== is symmetric and reflexive, and != is its opposite", () => {
    fc.assert(
      fc.property(scalar, scalar, (a, b) => {
        expect(test("==", a, b)).toBe(test("==", b, a));
        expect(test("==", a, a)).toBe(true);
        expect(test("!=", a, b)).toBe(!test("==", a, b));
        expect(test("=~", a, b)).toBe(test("=~", b, a));
      }),
    );
  });

  it("< is > with swapped operands, and <= is its complement", () => {
    const value = scalar.filter((candidate) => candidate !== null);
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(test("<", a, b)).toBe(test(">", b, a));
        expect(test("<=", a, b)).toBe(!test(">", a, b));
      }),
    );
  });

  it("a literal compares like the same value in a header", () => {
    fc.assert(
      fc.property(
        scalar,
        fc.oneof(
          fc.integer(),
          fc.string({ maxLength: 6 }).filter((text) => !/['"$]/.test(text)),
        ),
        (a, b) => {
          const literal = typeof b === "number" ? String(b) : `'${b}'`;
          for (const operator of ["==", ">", "<=", "contains", "~~", "in", "startsWith", "endsWith"])
            expect(matches(`\${header.a} ${operator} ${literal}`, { headers: { a } })).toBe(test(operator, a, b));
        },
      ),
    );
  });

  it("++ and -- are inverse", () => {
    fc.assert(
      fc.property(fc.integer(), (n) => {
        const incremented = evaluate("${header.n}++", { headers: { n } });
        expect(incremented).toBe(n + 1);
        expect(evaluate("${header.n}--", { headers: { n: incremented } })).toBe(n);
      }),
    );
  });
});

describe("lists and text", () => {
  it("split reverses join", () => {
    const words = fc.array(
      fc.string({ minLength: 1, maxLength: 5 }).filter((word) => !word.includes(";")),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(words, (body) => {
        expect(evaluate("${join(;)} ~> ${split(;)}", { body })).toEqual(body);
      }),
    );
  });

  it("base64Decode reverses base64Encode", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (body) => {
        expect(evaluate("${base64Encode()} ~> ${base64Decode()}", { body })).toEqual(body);
      }),
    );
  });

  it("a path has the same result for a value and for its JSON as bytes", () => {
    const key = fc.constantFrom("a", "b", "size", "constructor", "0", "1", "last");
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, fc.constantFrom(null, 1, "text", true, ""), fc.dictionary(key, tie("tree")), fc.array(tie("tree"), { maxLength: 3 })),
    }));
    const body = fc.oneof(fc.dictionary(key, tree, { minKeys: 1 }), fc.array(tree, { minLength: 1, maxLength: 3 }));
    const step = fc.tuple(fc.constantFrom(".", "?.", "[]"), key).map(([form, name]) => (form === "[]" ? `[${name}]` : `${form}${name}`));
    const outcome = (text: string, value: unknown): unknown => {
      try {
        return evaluate(text, { body: value });
      } catch (fault) {
        return (fault as { code?: string }).code ?? fault;
      }
    };
    let found = 0;
    fc.assert(
      fc.property(body, fc.array(step, { minLength: 1, maxLength: 4 }), (value, path) => {
        const text = `\${body${path.join("")}}`;
        const direct = outcome(text, value);
        expect(direct).toEqual(outcome(text, new TextEncoder().encode(JSON.stringify(value))));
        if (direct !== null && typeof direct === "object") found++;
      }),
      { numRuns: 800 },
    );
    expect(found).toBeGreaterThan(20);
  });
});
