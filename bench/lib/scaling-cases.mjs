// Work whose time must grow in proportion to its input, most of it on input that is designed to be slow. A case has the smaller of the two sizes that are
// compared, and `work`, which takes a size and returns a function; several cases of one name count as one.
import { Exchange, Headers, Message } from "@sluice/engine";
import { compareValues, compilePattern } from "@sluice/engine/values";
import { Placeholders, readTree } from "@sluice/model";
import { languages } from "@sluice/standard";
import { namePattern } from "../../packages/engine/dist/mocks/name-pattern.js";
import { DuplicateNames } from "../../packages/server/dist/api/duplicate-names.js";
import { maskMembers } from "../../packages/server/dist/masking/secret-members.js";
import { createSecretValues } from "../../packages/server/dist/masking/secret-values.js";
import { maskUris } from "../../packages/server/dist/masking/secret-uris.js";
import { findRuns } from "../../packages/server/dist/runs/find-runs.js";
import { lostRun } from "../../packages/server/dist/runs/run-metadata.js";
import { createRunHistory } from "../../packages/server/dist/runs/run-history.js";
import { matchesPath, readPath } from "../../packages/standard/dist/languages/xtokenize/path-steps.js";
import { OldestKey } from "../../packages/standard/dist/oldest-key.js";
import { CountWindow } from "../../packages/standard/dist/steps/circuit-breaker/call-window.js";
import { parseXml } from "../../packages/standard/dist/xml/parse-xml.js";
import { serializeXml } from "../../packages/standard/dist/xml/serialize-xml.js";
import { host } from "./engine-runtime.mjs";

/** Text of a length, made of one piece. */
const repeated = (piece, length) => piece.repeat(Math.ceil(length / piece.length));

/** Work on input of the size, which exists before. */
const on = (inputOf, use) => (size) => {
  const input = inputOf(size);
  return () => use(input);
};

const scope = {
  host,
  route: { id: "bench", flowId: "bench", flowHash: "0" },
  property: () => undefined,
  language: (name) => languages.find((language) => language.name === name),
  bean: () => undefined,
};

/** An expression on a body of the size. */
function evaluating(languageName, text, bodyOf, isPredicate = false) {
  const language = scope.language(languageName);
  const expression = isPredicate ? language.compilePredicate(text, {}, scope) : language.compile(text, {}, scope);
  return (size) => {
    const body = bodyOf(size);
    return () => {
      try {
        return expression(new Exchange("bench", undefined, "InOut", new Message(body, new Headers())));
      } catch {
        // Some of the input is rejected, as it should be.
        return undefined;
      }
    };
  };
}

function searchingRuns(count) {
  const preview = `{"password":"S3CR3T","filler":"${"x&y=z;".repeat(40)}"}`;
  const history = createRunHistory({ perRoute: 250, total: 20_000, bytes: 1e9 });
  for (let number = 0; number < count; number++) {
    const id = `run_${String(number).padStart(6, "0")}`;
    const lost = { id, route: { id: `route-${number % 80}`, flowId: "flow", flowHash: "h" }, exchangeId: "e", trigger: { uri: "direct:x" } };
    const identity = { ...lost, startedAt: 1_000 + number, parentRunId: undefined, traceId: undefined, correlationId: id };
    history.adopt({ ...lostRun(identity, { type: "Lost", message: "gone", stepId: null }, 9_000), preview });
  }
  const secrets = createSecretValues();
  return async () => {
    for (let after, page; page === undefined || after !== undefined; after = page.stopped)
      page = await findRuns(history, { text: "s3cr3t filler", limit: 50, after }, secrets);
  };
}

function evictingKeys(count) {
  return () => {
    const keys = new Map();
    const oldest = new OldestKey(keys);
    for (let key = 0; key < 8 * count; key++) {
      keys.set(key, key);
      if (keys.size > count) keys.delete(oldest.next());
    }
  };
}

function countingCalls(size) {
  return () => {
    const window = new CountWindow(size);
    for (let index = 0; index < 10 * size; index++) window.add(index % 2 === 0, false);
  };
}

/** Every element declares prefixes and is in the one before. */
function readingNestedDeclarations(depth) {
  let count = 0;
  const opening = () => `<a${Array.from({ length: 60 }, () => ` xmlns:p${count++}="u"`).join("")}>`;
  const text = `${Array.from({ length: depth }, opening).join("")}1${"</a>".repeat(depth)}`;
  return () => serializeXml(parseXml(text));
}

const nestedFlow = (steps) =>
  `- from:\n    uri: direct:a\n    steps:\n${Array.from({ length: steps }, (_, index) => `        - setHeader:\n            name: h${index}\n            simple: "\${body} ${index}"\n`).join("")}`;

const deepElements = (size) => Array.from({ length: size }, () => ({ local: "a", namespace: "" }));
const deepPath = readPath(`//b${"//a".repeat(10)}`, {});
const wildcards = namePattern(`${"*a".repeat(200)}*c*`, "match");
const backtracking = compilePattern("^(a+)+$");

const textFunctions = [
  ["${htmlDecode()}", "<a '"],
  ["${htmlClean(${body})}", "<!"],
  ["${htmlParse()}", "<head>"],
  ["${prettyBody}", "<"],
  ["${normalizeWhitespace()}", "  \t"],
];

export const scalingCases = [
  ...[";", "?a", "?password", "&password=RAW(", "//a:", "?secret;", "//"].map((piece) => ({
    name: "masking URIs",
    size: 16_384,
    work: on((size) => `${repeated(piece, size)} =@`, maskUris),
  })),
  ...['"', '\\"', '"password":"', "<password ", "<", " a=", "&password=", '{"password":[', '\\\\\\"token\\\\\\":', "<![CDATA["].map((piece) => ({
    name: "masking members",
    size: 16_384,
    work: on((size) => `password ${repeated(piece, size)}`, maskMembers),
  })),
  {
    name: "finding duplicate names",
    size: 1_000,
    work: on(
      (size) => JSON.stringify({ rows: Array.from({ length: size }, (_, index) => ({ id: index, [`name ${index}`]: `row ${index}` })) }),
      (text) => new DuplicateNames(text).scan(Infinity),
    ),
  },
  { name: "searching runs", size: 100, work: searchingRuns },
  { name: "evicting the oldest key", size: 1_000, work: evictingKeys },
  { name: "counting calls in a window", size: 10_000, work: countingCalls },
  { name: "nested namespace declarations", size: 18, work: readingNestedDeclarations },
  // The reader of short flows takes no part in it.
  { name: "reading a flow", size: 100, work: on(nestedFlow, readTree) },
  ...["{{", "{{a", "{{a:", "}}", "\\{{"].map((piece) => ({
    name: "placeholders",
    size: 5_000,
    work: on(
      (size) => piece.repeat(size),
      (text) => new Placeholders({ property: () => undefined }).resolve(text),
    ),
  })),
  {
    name: "a pattern that backtracks",
    size: 2_000,
    work: on(
      (size) => `${"a".repeat(size)}!`,
      (text) => backtracking.matches(text),
    ),
  },
  { name: "a name with many wildcards", size: 50_000, work: on((size) => "ab".repeat(size), wildcards) },
  {
    name: "comparing text that is almost a number",
    size: 100_000,
    work: on(
      (size) => `${"0".repeat(size)}!`,
      (text) => compareValues(text, "5"),
    ),
  },
  { name: "a path with many // steps", size: 100, work: on(deepElements, (elements) => matchesPath(deepPath, elements)) },
  ...textFunctions.map(([text, piece]) => ({ name: "text functions", size: 20_000, work: evaluating("simple", text, (size) => repeated(piece, size)) })),
  { name: "a regex in a flow", size: 2_000, work: evaluating("simple", "${body} regex '^(a+)+$'", (size) => `${"a".repeat(size)}!`, true) },
  { name: "jq on text that is almost a number", size: 50_000, work: evaluating("jq", "tonumber", (size) => JSON.stringify(`${"0".repeat(size)}!`)) },
];
