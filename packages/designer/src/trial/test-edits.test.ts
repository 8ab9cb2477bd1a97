import { expect, test } from "vitest";
import { duplicateTest, removeTest, renameTest, testNames } from "./test-edits.ts";

const file = `flowId: orders # kept
tests:
  # the usual case
  - name: greets Ada
    when: {webhook: orders, body: {name: Ada}} # a caller
    then: [{status: completed}]

  - {name: 'fails', when: {webhook: orders}, then: [{status: failed}]}
`;

const source = (edit: ReturnType<typeof renameTest>): string => (edit.ok ? edit.source : edit.reason);

test("the tests of a file are listed, and each edit changes only its own lines", () => {
  expect(testNames(file)).toEqual(["greets Ada", "fails"]);
  expect(source(renameTest(file, 0, "greets Bob"))).toBe(file.replace("greets Ada", "greets Bob"));
  expect(source(renameTest(file, 1, "it's broken"))).toBe(file.replace("'fails'", "'it''s broken'"));
  const copied = source(duplicateTest(file, 0, "greets Ada again"));
  expect(testNames(copied)).toEqual(["greets Ada", "greets Ada again", "fails"]);
  expect(copied.startsWith(file.slice(0, file.indexOf("\n  - {name")))).toBe(true);
  expect(testNames(source(removeTest(copied, 1)))).toEqual(["greets Ada", "fails"]);
  expect(testNames(source(removeTest(file, 0)))).toEqual(["fails"]);
  expect(testNames("tests: [")).toBeUndefined();
});
