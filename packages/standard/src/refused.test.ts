import { entities } from "@sluice/engine";
import { expect, it } from "vitest";
import { formats } from "./formats/index.ts";
import { languages } from "./languages/index.ts";
import { refusedWords } from "./refused.ts";
import { steps } from "./steps/index.ts";

it("contains no supported names", () => {
  const known = [...steps, ...languages, ...formats, ...entities].map(({ name }) => name);
  expect(known.filter((name) => refusedWords.has(name))).toEqual([]);
});

it("explains each word in one sentence without a period", () => {
  for (const [word, sentence] of refusedWords) expect(sentence, word).toMatch(/^[^.]+$/);
});
