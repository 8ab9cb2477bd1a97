import { expect, it } from "vitest";
import { hasComments } from "./yaml-comments.ts";

it.each(["# title\na: 1\n", "a: 1 # unit\n", "a: 1\n\t# indented\n", "- |\n  text\n# end\n", "a: [1, # first\n  2]\n"])("finds the comment in %j", (text) => {
  expect(hasComments(text)).toBe(true);
});

it.each(["a: 'no # comment'\n", 'a: "no # comment"\n', "a: b#c\n", "a: |\n  # text\n  more # text\n", "a: >-\n  # text\n", '{"a": "x # y"}\n', ""])(
  "finds no comment in %j",
  (text) => {
    expect(hasComments(text)).toBe(false);
  },
);
