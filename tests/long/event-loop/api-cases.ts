// Every endpoint whose input or output size depends on the caller, with the worst case that the default limits allow.
import { inputs, jsonNames, readableJsonNames, xmlNames, yamlNames, type InputName } from "./hostile-inputs.ts";

export interface ApiCase {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: () => string;
  readonly headers?: Readonly<Record<string, string>>;
}

const size = 9_900_000;
/** The maximum size of a flow's text, minus the JSON around it. */
const flowSize = 500_000;

const json = (name: string, method: string, path: string, body: () => unknown): ApiCase => ({
  name: `${method} ${path} ${name}`,
  method,
  path,
  body: () => JSON.stringify(body()),
});
const raw = (method: string, path: string, input: InputName, type: string, length = size): ApiCase => ({
  name: `${method} ${path} ${type} < ${input}`,
  method,
  path,
  body: () => inputs[input](length),
  headers: { "content-type": type },
});

const steps = (count: number): string => `- route:\n    id: many\n    from:\n      uri: direct:many\n      steps:\n${"        - log: x\n".repeat(count)}`;
const rows = (count: number): readonly (readonly string[])[] => Array.from({ length: count }, (_, index) => [`k${index}`, `v${index}`]);

const flows: readonly ApiCase[] = [
  ...yamlNames.flatMap((input) => [raw("PUT", "/flows/sweep", input, "application/yaml", flowSize), raw("PUT", "/flows/sweep", input, "application/yaml")]),
  ...readableJsonNames.map((input) => raw("PUT", "/flows/sweep", input, "application/json")),
  ...yamlNames.map((input) => json(input, "POST", "/flows/validate", () => ({ yaml: inputs[input](flowSize) }))),
  json("2,400 steps", "PUT", "/flows/sweep", () => ({ yaml: steps(2_400) })),
  json("2,400 steps", "PUT", "/flows/sweep?dryRun=true", () => ({ yaml: steps(2_400) })),
  json("2,400 steps", "POST", "/flows/sweep/rollback", () => ({ revision: 1 })),
  json("2,400 steps", "POST", "/flows/validate", () => ({ yaml: steps(2_400) })),
  json("2,400 unknown steps", "POST", "/flows/validate", () => ({ yaml: steps(2_400).replaceAll("log:", "lgo:") })),
  json("2,400 unknown options", "POST", "/flows/validate", () => ({ yaml: steps(2_400).replaceAll("log: x", "log: {mesage: x}") })),
  json("100,000 params", "PUT", "/flows/sweep", () => ({ yaml: steps(1), params: Object.fromEntries(rows(100_000)) })),
];

const tables: readonly ApiCase[] = [
  ...readableJsonNames.map((input) => raw("PUT", "/value-mappings/sweep", input, "application/json")),
  json("300,000 rows", "PUT", "/value-mappings/sweep", () => ({ columns: ["a", "b"], rows: rows(300_000) })),
  json("the same key in 300,000 rows", "PUT", "/value-mappings/same", () => ({ columns: ["a", "b"], rows: rows(300_000).map(([, value]) => ["k", value]) })),
  json("124,000 entries", "PUT", "/value-mappings/entries", () => ({ entries: Object.fromEntries(rows(124_000)) })),
  ...["regex", "wildcard"].map((match) =>
    json(`10,000 ${match} patterns`, "PUT", `/value-mappings/${match}`, () => ({
      match,
      columns: ["a", "b"],
      rows: rows(10_000).map(([key, value]) => [`(${key}|x)*.${key}*`, value]),
    })),
  ),
  ...(["shortLines", "commas", "csvQuotes", "csvOpenQuote", "lines", "csvColumns"] as const).map((input) =>
    raw("PUT", "/value-mappings/csv", input, "text/csv"),
  ),
  ...xmlNames.map((input) => raw("PUT", "/value-mappings/xml", input, "application/xml")),
  ...["application/json", "text/csv", "application/xml"].map((accept): ApiCase => ({
    name: `GET /value-mappings/sweep ${accept}`,
    method: "GET",
    path: "/value-mappings/sweep",
    headers: { accept },
  })),
  { name: "GET /value-mappings", method: "GET", path: "/value-mappings" },
];

const sourceOptions: Readonly<Record<string, object>> = {
  csv: { header: true },
  fixed: { fields: { a: { start: 1, length: 3 } } },
};
const mapping = (format: string): unknown => ({
  source: { format, ...sourceOptions[format] },
  target: { format: "json" },
  map: [{ to: "a", from: "a" }],
});

const mappings: readonly ApiCase[] = [
  ...jsonNames.map((input) => raw("PUT", "/message-mappings/sweep", input, "application/json")),
  json("30,000 rules", "PUT", "/message-mappings/many", () => ({
    source: { format: "json" },
    target: { format: "json" },
    map: rows(30_000).map(([key]) => ({ to: key, from: key })),
  })),
  ...[
    ["rules", (key: string): object => ({ to: key, from: key })],
    ["rules with unknown functions", (key: string): object => ({ to: key, expr: `uper(${key})` })],
    ["rules with unknown properties", (key: string): object => ({ to: key, from: key, form: key })],
    ["rules with unknown tables", (key: string): object => ({ to: key, from: key, lookup: { table: key } })],
  ].map(([name, rule]) =>
    json(`19,000 ${name as string}`, "PUT", "/message-mappings/rules", () => ({
      source: { format: "json" },
      target: { format: "json" },
      map: rows(19_000).map(([key]) => (rule as (key: string) => object)(key as string)),
    })),
  ),
  json("19,000 rules whose source fields are not in the sample", "PUT", "/message-mappings/sample", () => ({
    source: { format: "json", sample: Object.fromEntries(rows(20_000).map(([key]) => [`s${key as string}`, 1])) },
    target: { format: "json" },
    map: rows(19_000).map(([key]) => ({ to: key, from: key })),
  })),
  json("100,000 members in a rule", "PUT", "/message-mappings/members", () => ({
    source: { format: "json" },
    target: { format: "json" },
    map: [{ to: "a", from: "a", ...Object.fromEntries(rows(100_000)) }],
  })),
  ...["json", "xml", "csv", "fixed", "edi"].map((format) => json(format, "PUT", `/message-mappings/${format}`, () => mapping(format))),
  json("a rule for each item", "PUT", "/message-mappings/each", () => ({
    source: { format: "json" },
    target: { format: "xml", root: "r" },
    map: [
      {
        to: "i[]",
        forEach: "l",
        map: [
          { to: "n", from: "name" },
          { to: "t", expr: "upper(name)" },
        ],
      },
    ],
  })),
  json("records", "POST", "/message-mappings/each/execute", () => ({ input: `{"l":${inputs.records(4_500_000)}}` })),
  json("records", "POST", "/message-mappings/each/execute", () => ({ input: { l: JSON.parse(inputs.records(4_500_000)) as unknown } })),
  ...(["shortLines", "lines", "oneLine", "spaces"] as const).flatMap((input) => [
    json(input, "POST", "/message-mappings/fixed/execute", () => ({ input: inputs[input](4_500_000) })),
    json(input, "POST", "/message-mappings/edi/execute", () => ({ input: inputs[input](4_500_000) })),
  ]),
  json("segments", "POST", "/message-mappings/edi/execute", () => ({ input: `UNB+UNOC:3'${"LIN+1:2+3'".repeat(400_000)}` })),
  json("empty segments", "POST", "/message-mappings/edi/execute", () => ({ input: `UNB+UNOC:3'${"'".repeat(4_000_000)}` })),
  ...jsonNames.map((input) => json(input, "POST", "/message-mappings/json/execute", () => ({ input: inputs[input](4_500_000) }))),
  ...xmlNames.map((input) => json(input, "POST", "/message-mappings/xml/execute", () => ({ input: inputs[input](4_500_000) }))),
  ...(["shortLines", "commas", "csvQuotes"] as const).map((input) =>
    json(input, "POST", "/message-mappings/csv/execute", () => ({ input: inputs[input](4_500_000) })),
  ),
];

const policies: readonly ApiCase[] = [
  ...readableJsonNames.map((input) => raw("PUT", "/auth/sweep", input, "application/json")),
  json("200,000 addresses", "PUT", "/auth/sweep", () => ({
    ip: { allow: rows(200_000).map((_, index) => `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`) },
  })),
  json("100,000 rules", "PUT", "/auth/sweep", () => ({ rules: rows(100_000).map(([key]) => ({ route: key, roles: [key] })) })),
];

const connections: readonly ApiCase[] = [
  ...["PUT /connections/sweep", "POST /connections/test", "POST /connections/none/test", "POST /connections/none/browse"].flatMap((endpoint) => {
    const [method, path] = endpoint.split(" ") as [string, string];
    return [
      ...readableJsonNames.map((input) => raw(method, path, input, "application/json")),
      json("100,000 values", method, path, () => ({ type: "postgres", values: Object.fromEntries(rows(100_000)) })),
      json("100,000 members", method, path, () => ({ type: "postgres", ...Object.fromEntries(rows(100_000)) })),
    ];
  }),
];

const kameletOf = (steps: string, properties = "{}"): string =>
  `apiVersion: camel.apache.org/v1\nkind: Kamelet\nmetadata:\n  name: sweep\nspec:\n  definition:\n    properties: ${properties}\n  template:\n    from:\n      uri: kamelet:source\n      steps:\n${steps}`;
const kameletSteps = (count: number): string => "        - log: x\n".repeat(count);

const kamelets: readonly ApiCase[] = ["PUT /kamelets/sweep", "POST /kamelets/validate"].flatMap((endpoint) => {
  const [method, path] = endpoint.split(" ") as [string, string];
  const kamelet = (name: string, text: () => string): ApiCase => ({
    name: `${endpoint} ${name}`,
    method,
    path,
    body: text,
    headers: { "content-type": "application/yaml" },
  });
  return [
    ...yamlNames.flatMap((input) => [raw(method, path, input, "application/yaml", flowSize), raw(method, path, input, "application/yaml")]),
    kamelet("2,400 unknown steps", () => kameletOf(kameletSteps(2_400).replaceAll("log:", "lgo:"))),
    kamelet("20,000 parameters", () => kameletOf(kameletSteps(1), JSON.stringify(Object.fromEntries(rows(20_000).map(([key]) => [key, { type: "string" }]))))),
    kamelet("2,400 steps", () => kameletOf(kameletSteps(2_400))),
  ];
});

/** Reads and lists of previously installed documents. */
const readPaths = [
  "/flows/sweep",
  "/flows/sweep/versions",
  "/flows/sweep/versions/1",
  "/message-mappings",
  "/message-mappings/each",
  "/auth",
  "/auth/sweep",
  "/dead-letters/none",
  "/dead-letters/replays/none",
  "/nodes",
  "/connections",
  "/connections/none",
  "/kamelets",
  "/kamelets/sweep",
  "/test/session/none",
].concat(["/routes/canary/capture", "/runs/none"]);

const someJson = ["records", "numbers", "deep", "manyKeys", "truncated"] as const;

const others: readonly ApiCase[] = [
  ...["start", "stop", "suspend", "resume"].map((action): ApiCase => ({
    name: `POST /routes/many/${action}`,
    method: "POST",
    path: `/routes/many/${action}`,
  })),
  ...["/routes/sweep/capture", "/dead-letters/replay", "/dead-letters/none/replay", "/runs/none/replay"].flatMap((path) =>
    someJson.map((input) => raw("POST", path, input, "application/json")),
  ),
  ...readableJsonNames.map((input) => raw("POST", "/test/session", input, "application/json")),
  ...readableJsonNames.map((input) => json(input, "POST", "/test/invoke", () => ({ trigger: "direct:none", body: inputs[input](4_500_000) }))),
  ...[
    "/flows",
    "/runs?limit=1000",
    "/runs?limit=1000&text=none",
    "/openapi.json",
    "/catalog",
    "/schema",
    "/health",
    "/metrics",
    "/dead-letters",
    ...readPaths,
  ].map((path): ApiCase => ({
    name: `GET ${path}`,
    method: "GET",
    path,
  })),
];

export const apiCases: readonly ApiCase[] = [...flows, ...tables, ...mappings, ...policies, ...connections, ...kamelets, ...others];

interface ApiDocument {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses?: Readonly<Record<string, { readonly content?: object }>> } | undefined>>>
  >;
}

/** Endpoints of the management API with a request or response body but without a case. Event streams and deletions are tested elsewhere. */
export function uncoveredEndpoints({ paths }: ApiDocument): readonly string[] {
  // The document also lists the webhooks of the deployed routes.
  const apiPaths = Object.entries(paths).filter(([path]) => path.startsWith("/_api/"));
  return apiPaths.flatMap(([path, methods]) => {
    const pattern = new RegExp(`^${path.replace(/^\/_api/, "").replaceAll(/\{[^}]*\}/g, "[^/]+")}$`);
    return ["get", "put", "post"]
      .filter((method) => methods[method] !== undefined && !JSON.stringify(methods[method]?.responses).includes("text/event-stream"))
      .filter((method) => !apiCases.some((apiCase) => apiCase.method === method.toUpperCase() && pattern.test(apiCase.path.replace(/\?.*/, ""))))
      .map((method) => `${method.toUpperCase()} ${path}`);
  });
}
