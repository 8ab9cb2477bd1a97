import { expect, test } from "vitest";
import { parse } from "yaml";
import { defaultAnswers, recipes } from "./recipes.ts";

/** Texts that YAML would not read as one plain string. */
const answers = ["{{shop.url}}", "http://host/a: b #c", "*", "[x", 'a "quoted" word', "true", "- x", "two\nlines"];

test.each(recipes.flatMap((recipe) => recipe.questions.map((question) => [recipe.key, question.name, recipe] as const)))(
  "the recipe %s writes any answer to '%s' as one string",
  (_, name, recipe) => {
    for (const answer of answers) {
      const written = recipe.yaml({ ...defaultAnswers(recipe), [name]: answer }).map((yaml) => parse(yaml) as unknown);
      const texts: string[] = [];
      JSON.stringify(written, (_key, value: unknown) => {
        if (typeof value === "string") texts.push(value);
        return value;
      });
      // Text inside a JSON body is escaped once more.
      const escaped = JSON.stringify(answer).slice(1, -1);
      expect(
        texts.some((text) => text === answer || text.includes(escaped)),
        `${answer} in ${JSON.stringify(written)}`,
      ).toBe(true);
    }
  },
);
