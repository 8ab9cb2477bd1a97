import { countCalls } from "@sluice/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readTree } from "./read-tree.ts";
import { rereadTree } from "./reread-tree.ts";

const flow = `# orders
- route:
    id: orders # the id
    from:
      uri: direct:a
      steps:
        - log: "hello"
        # before the choice
        - choice:
            when:
              - simple: "\${body} == 1 && \${header.a}"
                steps:
                  - setBody: {simple: "x"}
                  - log: |
                      two
                      lines

                  # behind
            otherwise:
              steps:
                - to: mock:y

        - setBody:
            constant: it's
            id: last   # tail

    # end of route
- from:
    uri: timer:t
    steps: [{log: x}, {to: mock:z}]
- beans:
    - name: a
      type: b
`;

/** An incremental read must produce the same result as a full read, including positions. */
function expectSameResult(text: string): void {
  const { tree, diagnostics } = readTree(text);
  expect(JSON.stringify(rereadTree(text))).toBe(JSON.stringify({ tree, diagnostics }));
}

test("returns the same tree as a full read after any edit", () => {
  const word = fc.oneof(
    fc.string({ maxLength: 6 }),
    fc.constantFrom(
      "\n",
      "\n  ",
      "- ",
      ": ",
      "#",
      " # c",
      '"',
      "'",
      "|",
      "{",
      "]",
      "\n        - stop: {}\n",
      "\n\n",
      "a: b",
      "&a ",
      "*a",
      "---\n",
      "  ",
      "x",
      "\n      ",
    ),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(flow.length), fc.nat(6), word), { minLength: 1, maxLength: 6 }), (edits) => {
      rereadTree("nothing: known");
      rereadTree(flow);
      let text = flow;
      for (const [at, length, inserted] of edits) {
        const edited = text.slice(0, at) + inserted + text.slice(at + length);
        expectSameResult(edited);
        if (readTree(edited).tree !== undefined) text = edited;
      }
      expectSameResult(flow);
    }),
    { numRuns: 40 },
  );
});

test("returns the same tree as a full read after a character is typed or deleted anywhere", () => {
  for (let at = 0; at <= flow.length; at += 11) {
    rereadTree(flow);
    for (const typed of ["x", "\n", " "]) expectSameResult(flow.slice(0, at) + typed + flow.slice(at));
    rereadTree(flow);
    expectSameResult(flow.slice(0, at) + flow.slice(at + 1));
  }
});

test("takes less than half as many calls as a full read for a long flow", async () => {
  const step = (index: number, text: string): string => `        - setHeader:\n            name: h${index}\n            simple: ${text}\n`;
  const long = (text: string): string =>
    `- from:\n    uri: direct:a\n    steps:\n${Array.from({ length: 400 }, (_, index) => step(index, index === 200 ? text : "a")).join("")}`;
  rereadTree(long("a"));
  expectSameResult(long("ab"));
  const [incremental, full] = [await countCalls(() => rereadTree(long("b"))), await countCalls(() => readTree(long("b")))];
  expect(incremental * 2).toBeLessThan(full);
});
