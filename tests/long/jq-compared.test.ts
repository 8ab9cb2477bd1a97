// Our jq against the jq command, with generated programs and inputs. SLUICE_SEED generates others. The programs use what is
// the same in versions 1.6 to 1.8: for example, not the characters that @uri escapes, the last value of nothing, or functions of later versions.
import { spawnSync } from "node:child_process";
import { FakeHost } from "@sluice/testkit";
import fc from "fast-check";
import { expect, it } from "vitest";
import { compileJq } from "../../packages/standard/src/languages/jq/jq-program.ts";

const seed = Number(process.env["SLUICE_SEED"] ?? 20_261_119);
const { clock } = new FakeHost();
const noMessage = { message: { headers: new Map() } } as never;

/** The outputs for each input, or undefined if the program does not compile. */
function ourOutputs(program: string, inputs: readonly unknown[]): readonly unknown[] | undefined {
  let compiled: ReturnType<typeof compileJq>;
  try {
    compiled = compileJq(program, clock);
  } catch {
    return undefined;
  }
  const found: unknown[] = [];
  for (const input of inputs) compiled.run(structuredClone(input), noMessage, (value) => found.push(value));
  return JSON.parse(JSON.stringify(found)) as unknown[];
}

function theirOutputs(program: string, inputs: readonly unknown[]): readonly unknown[] | undefined {
  const { status, stdout, stderr } = spawnSync("jq", ["-c", program], { input: inputs.map((input) => JSON.stringify(input)).join("\n"), encoding: "utf8" });
  if (status === 3) return undefined;
  if (status !== 0) throw new Error(`jq ended with ${status}: ${stderr}`);
  const found = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  // Without the sign of -0, which JavaScript does not write.
  return JSON.parse(JSON.stringify(found)) as unknown[];
}

const { input } = fc.letrec<{ input: unknown }>((tie) => ({
  input: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, true, false, 0, 1, -2, 2.5, 10, "", "a", "b", "a,b", "1", "Bé <x>&'"),
    fc.array(tie("input"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("input"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const filled = (pattern: string, parts: readonly string[]): string => {
  let index = 0;
  return pattern.replaceAll("_", () => parts[index++] as string);
};
/** Separated by two spaces or a line break. In the patterns, `_` is another program. */
const inList = (text: string): string[] => text.trim().split(/ {2}|\n/);
const simple = fc.constantFrom(
  ...inList(`
.  .a  .b  .a?  .[0]  .[-1]  .[1:]  .[:-1]  .[]  .[]?  ..  null  true  false  0  1  -1  2.5  "a"  ","  []  {}  length  keys  values  add
type  tostring  tojson  fromjson  tonumber  sort  unique  min  max  first  last  not  flatten  to_entries  ascii_downcase  ascii_upcase
floor  explode  paths  leaf_paths  empty  arrays  objects  scalars  strings  numbers  iterables  @base64  @csv  @tsv  @json  @sh  @text
utf8bytelength  tostream  to_entries[]  getpath(["a",0])  has("a")  has(0)  range(3)  splits(",")  join(",")`),
);
const patterns = fc.constantFrom(
  ...inList(`
_ | _  _, _  (_ + _)  (_ - _)  (_ * _)  (_ / _)  (_ % _)  (_ == _)  (_ < _)  (_ >= _)  (_ and _)  (_ or _)  (_ // _)  [_]  {a: _}
{(tostring): _}  {a: _, b: _}  "x\\(_)y"  map(_)  select(_)  sort_by(_)  group_by(_)  unique_by(_)  min_by(_)  max_by(_)
with_entries(.value |= _)  map_values(_)  first(_)  limit(2; _)  if _ then _ else _ end  reduce (_) as $x (0; . + 1)
reduce .[]? as $x (null; _)  foreach (_) as $x (0; . + 1; [., $x])  (_) as $x | _  (_) as [$x, $y] | [$x, $y]  (_) as {a: $x} | $x
def f: _; f | f  def f(g): g | g; f(_)  label $out | (_), break $out  path(..)  del(.a)  del(.[0])  delpaths([["a"]])  .a = _  .a |= _
.[0] |= _  .[]? += _  .a //= _  (.a, .b) = _  to_entries | _  contains(_)  inside(_)  index(_)  startswith(_)  ltrimstr(_)  split(_)
join("-")  test("a|B")  sub("[a1]"; _)  [.[]?] | _  paths(_)  has(_)  in(_)  tojson | _  ascii_downcase | _  gsub("a,?"; "z")
[match("[ab]"; "g").offset]  capture("(?<x>a)") | _  [scan("[a-zB]")]  -(_)  add / _  range(_; 3)  setpath(["a"]; _)
to_entries | from_entries | _  (_) as [$x] ?// $x | $x  getpath(["a", "b"]) | _`),
);
const { program } = fc.letrec<{ program: string }>((tie) => ({
  program: fc.oneof(
    { maxDepth: 3, depthIdentifier: "program" },
    simple,
    patterns.chain((pattern) => {
      const count = pattern.split("_").length - 1;
      return fc.array(tie("program"), { minLength: count, maxLength: count }).map((parts) =>
        filled(
          pattern,
          parts.map((part) => `(${part})`),
        ),
      );
    }),
  ),
}));

it.skipIf(spawnSync("jq", ["--version"]).status !== 0)("returns the same results for generated programs, or both fail (needs jq)", () => {
  let compared = 0;
  fc.assert(
    fc.property(program, fc.array(input, { minLength: 3, maxLength: 6 }), (text, inputs) => {
      // The words of an error are our own.
      const caught = `try [limit(200; ${text})] catch "failed"`;
      const expected = theirOutputs(caught, inputs);
      if (expected !== undefined && JSON.stringify(expected).includes("[")) compared++;
      expect(ourOutputs(caught, inputs)).toEqual(expected);
    }),
    { seed, numRuns: 400 },
  );
  expect(compared).toBeGreaterThan(100);
});
