// Work that is done by native code, such as copies of maps, cannot be counted with `callGrowth` or `searchGrowth` of the testkit. Here the time for one
// long input is compared with the time for several short ones of the same total size, in one run.
import { Placeholders, starPattern } from "@sluice/model";
import { FakeHost, languageUnderTest } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { readTree } from "../../packages/model/src/read/read-tree.ts";
import { jsonata } from "../../packages/standard/src/languages/jsonata/jsonata.ts";
import { simple } from "../../packages/standard/src/languages/simple/simple.ts";
import { CountWindow, TimeWindow } from "../../packages/standard/src/steps/circuit-breaker/call-window.ts";
import { parseXml } from "../../packages/standard/src/xml/parse-xml.ts";
import { serializeXml } from "../../packages/standard/src/xml/serialize-xml.ts";

const factor = 16;
/** Between 1, for linear work, and 16, for quadratic work. */
const maxRatio = 5;
const rounds = 5;

/** CPU time of this process, in microseconds. */
function cost(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** How many times longer one input takes than 16 inputs of a sixteenth of its size. The best of several rounds is not affected by other processes. */
function excess(work: (size: number) => unknown, size: number): number {
  const short = (): void => {
    for (let count = 0; count < factor; count++) work(size);
  };
  short();
  const pairs = Array.from({ length: rounds }, () => ({ short: cost(short), long: cost(() => void work(size * factor)) }));
  return Math.min(...pairs.map(({ long }) => long)) / Math.max(Math.min(...pairs.map((pair) => pair.short)), 200);
}

const host = new FakeHost();
const language = { simple: languageUnderTest(simple, { host }), jsonata: languageUnderTest(jsonata, { host }) };
const evaluate = (name: keyof typeof language, text: string, body: unknown): unknown => {
  try {
    return language[name].evaluate(text, { body });
  } catch (error) {
    // A limit also keeps the time short.
    return error;
  }
};

/** XML in which each element declares prefixes: side by side, or each inside the one before. */
function declarations(elements: number, isNested: boolean): string {
  let count = 0;
  const tags = Array.from({ length: elements }, () => `<a${Array.from({ length: 600 }, () => ` xmlns:p${count++}="u"`).join("")}>`);
  return isNested ? `${tags.join("")}1${"</a>".repeat(tags.length)}` : `<a>${tags.map((tag) => `${tag}1</a>`).join("")}</a>`;
}

describe("the time is proportional to the input", () => {
  const placeholders = new Placeholders({ property: () => undefined });
  const sorted = (size: number): { id: number }[] => Array.from({ length: size }, (_, id) => ({ id }));

  it.each<[string, (size: number) => unknown, number]>([
    ["YAML: single quotes", (size) => readTree("'".repeat(2 * size)), 12_000],
    ["YAML: line ends in quotes", (size) => readTree(`'${"\n".repeat(size)}'`), 12_000],
    ["YAML: a long plain text in a flow list", (size) => readTree(`[${"a ".repeat(size)}]`), 12_000],
    ["YAML: a long block of spaces", (size) => readTree(`a: |\n${" \n".repeat(size)}`), 12_000],
    ["YAML: an error in every line", (size) => readTree(Array.from({ length: size }, (_, index) => `${" ".repeat((index % 2) * 3)}a: b`).join("\n")), 240],
    ...["{{", "{{a", "{{a:"].map((piece): [string, (size: number) => unknown, number] => [
      `placeholders: ${piece}`,
      (size) => placeholders.resolve(piece.repeat(size)),
      2_000,
    ]),
    ["a pattern with many stars", (size) => starPattern("*a".repeat(200))(`${"a".repeat(199)}b`.repeat(size)), 50],
    ["simple: normalizeWhitespace", (size) => evaluate("simple", "${normalizeWhitespace()}", `${"  \t".repeat(size)}x`), 2_000],
    ...["$spread($)", "*", "**", "$clone($)", '$ ~> |$|{"x": 1}|', "$@$v.$v.id"].map((text): [string, (size: number) => unknown, number] => [
      `jsonata: ${text}`,
      (size) => evaluate("jsonata", text, sorted(size)),
      400,
    ]),
  ])("%s", (_name, work, size) => {
    expect(excess(work, size)).toBeLessThan(maxRatio);
  });
});

it("declarations of XML namespaces cost the same at any depth", () => {
  const costOf = (text: string): number =>
    Math.min(...Array.from({ length: 3 }, () => cost(() => expect(serializeXml(parseXml(text)).length).toBe(text.length))));
  const flat = costOf(declarations(180, false));
  expect(costOf(declarations(180, true)) / flat).toBeLessThan(maxRatio);
});

it("a call costs the same in a window of any size", () => {
  const costOf = (size: number): number => {
    let now = 0;
    const windows = [new CountWindow(size), new TimeWindow(size, () => now)];
    const add = (calls: number): void => {
      for (let index = 0; index < calls; index++) {
        now += 100;
        for (const window of windows) window.add(index % 2 === 0, false);
      }
    };
    add(2 * size);
    return Math.min(...Array.from({ length: rounds }, () => cost(() => add(20_000))));
  };
  costOf(500);
  expect(costOf(20_000) / costOf(500)).toBeLessThan(maxRatio);
});
