// Generates requests to the management API from its OpenAPI document: mostly valid ones, with members, parameters, headers and bytes changed at random.
// The same seed generates the same requests, except for the ids that the runtime chose.

export interface GeneratedRequest {
  /** `PUT /_api/flows/{id}`. */
  readonly operation: string;
  readonly method: string;
  /** Below `/_api`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** Sent in chunks instead of with a length. */
  readonly isChunked: boolean;
}

export interface ApiOperation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly parameters: readonly Parameter[];
  readonly json: { readonly schema: Schema; readonly example: unknown } | undefined;
  /** Media types of bodies that are not JSON. */
  readonly textTypes: readonly string[];
  readonly hasBody: boolean;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

type Schema = Readonly<Record<string, any>>;

/** Values that the runtime knows, by tag and name of the path parameter, as in `flows id`. */
export type KnownIds = Readonly<Record<string, readonly string[]>>;

/** These create documents of hundreds of kilobytes, so they are called less often. */
const large = new Set(["/_api/catalog", "/_api/schema", "/_api/openapi.json"]);

export function operationsOf(document: any): readonly ApiOperation[] {
  const resolve = (node: any): any =>
    node.$ref === undefined
      ? node
      : String(node.$ref)
          .slice(2)
          .split("/")
          .reduce((at, key) => at[key], document);
  return Object.entries<any>(document.paths)
    .filter(([path]) => path.startsWith("/_api/"))
    .flatMap(([path, item]) =>
      Object.entries<any>(item).map(([method, { tags, parameters = [], requestBody }]) => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        tag: tags[0],
        parameters: parameters.map(resolve),
        json: requestBody?.content["application/json"],
        textTypes: Object.keys(requestBody?.content ?? {}).filter((type) => type !== "application/json"),
        hasBody: requestBody !== undefined,
      })),
    );
}

const oddTexts = [
  ...["", " ", "a", "*", ".", "..", "../a", "a/b", "%00", "%zz", "é", "💥", "\u0000", "a\nb", "\u2028", "__proto__", "constructor", "toString"],
  ...["null", "true", "0", "-1", "1.5", "1e999", "9007199254740993", "[]", "{}", "${body}", "{{x}}", "#", "?", "a&b=c", "'", '"', "<a>", "a".repeat(129)],
  ...["x".repeat(2_000), "2026-01-01T00:00:00Z", "direct:x", "run_01KB2T4X7N5M0Q8R3S6V9W1Y2Z", "newest", "1-run_1", "live,test", "application/yaml"],
] as const;
const oddValues = [null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, "", "x", [], {}, [[]], { __proto__: 1 }, { a: { a: { a: {} } } }, ...oddTexts] as const;
const steps = [
  "setBody: {constant: x}",
  "log: ${body}",
  "setHeader: {name: a, simple: '${body}'}",
  "filter: {simple: '${body} == 1', steps: [{log: x}]}",
  "lgo: x",
  "to: direct:none",
];

export class RequestGenerator {
  readonly #operations: readonly ApiOperation[];
  readonly #document: any;
  readonly #token: string;
  #state: number;
  known: KnownIds = {};

  constructor(document: any, token: string, seed: number) {
    this.#document = document;
    this.#operations = operationsOf(document);
    this.#token = token;
    this.#state = seed;
  }

  next(): GeneratedRequest {
    let operation = this.#pick(this.#operations);
    while (large.has(operation.path) && !this.#happens(0.1)) operation = this.#pick(this.#operations);
    const method = this.#happens(0.03) ? this.#pick(["HEAD", "PATCH", "OPTIONS", "POST", "DELETE", "PUT"]) : operation.method;
    const path = this.#path(operation) + this.#query(operation);
    const takesBody = operation.hasBody ? this.#happens(0.98) : this.#happens(0.02);
    const { type, bytes } = takesBody && method !== "HEAD" ? this.#body(operation) : { type: undefined, bytes: undefined };
    const headers = { ...this.#headers(operation), ...(type === undefined ? {} : { "content-type": type }) };
    return { operation: operation.name, method, path, headers, body: bytes, isChunked: this.#happens(0.1) };
  }

  /** A number from 0 to 1 (mulberry32). */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let value = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  }

  #happens(probability: number): boolean {
    return this.#random() < probability;
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T;
  }

  #path({ path, tag, parameters }: ApiOperation): string {
    return path.slice("/_api".length).replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
      const ids = this.known[`${tag} ${name}`] ?? [];
      if (this.#happens(0.12)) return this.#encoded(this.#pick(oddTexts));
      if (ids.length === 0 || this.#happens(0.1)) return this.#encoded(String(parameters.find((parameter) => parameter.name === name)?.example ?? "x"));
      return this.#encoded(this.#pick(ids));
    });
  }

  /** Sometimes not encoded, where HTTP allows it. */
  #encoded(text: string): string {
    return /^[\w.*'%-]*$/.test(text) && this.#happens(0.5) ? text : encodeURIComponent(text);
  }

  #query({ parameters }: ApiOperation): string {
    const pairs = parameters
      .filter((parameter) => parameter.in === "query" && this.#happens(0.25))
      .flatMap(({ name, schema }) => {
        const pair = `${name}=${this.#encoded(this.#happens(0.2) ? this.#pick(oddTexts) : this.#queryValue(name, schema))}`;
        return this.#happens(0.03) ? [pair, pair] : [pair];
      });
    if (this.#happens(0.005)) pairs.push(`long=${"x".repeat(8_192)}`);
    if (this.#happens(0.03)) pairs.push(this.#pick(["unknown=1", "&&", "=", "%zz=1", "a[]=1"]));
    return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
  }

  #queryValue(name: string, { type, enum: values, minimum = 0, maximum = 100, items }: Schema): string {
    if (values !== undefined) return this.#pick(values as readonly string[]);
    if (type === "array") return [...new Set([this.#pick(items.enum as readonly string[]), this.#pick(items.enum as readonly string[])])].join(",");
    if (type === "boolean") return this.#pick(["true", "false"]);
    if (type === "integer") return String(this.#pick([minimum, minimum + 1, maximum, 10]));
    if (type === "number") return this.#pick(["0", "0.5", "1"]);
    if (/since|until/.test(name)) return this.#pick(["2026-01-01T00:00:00Z", "2099-01-01", "2026-11-14T16:02:33.120+01:00"]);
    return this.#pick([...this.#idsFor(name), "x", "orders", "newest"]);
  }

  /** The ids that a member or parameter of this name can have. */
  #idsFor(name: string): readonly string[] {
    return this.known[{ routeId: "routes id", flowId: "flows id", sessionId: "test id", runId: "runs id" }[name] ?? ""] ?? [];
  }

  #headers({ parameters, tag }: ApiOperation): Readonly<Record<string, string>> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}` };
    const sometimes = (name: string, probability: number, values: readonly string[]): void => {
      if (this.#happens(probability)) headers[name] = this.#pick(values);
    };
    if (this.#happens(0.02)) delete headers["authorization"];
    sometimes("authorization", 0.02, ["Bearer wrong", "Basic eDp5", "bearer", ""]);
    const isConditional = parameters.some(({ name }) => name === "If-Match");
    const known = this.known[`${tag} etag`] ?? [];
    const tags = ["*", '"0000"', 'W/"0000"', '"a", "b"', '"a,b", W/"c"', "", '"', "x", ...known, ...known.map((etag) => `W/${etag}`)];
    sometimes("if-match", isConditional ? 0.15 : 0.02, tags);
    sometimes("if-none-match", isConditional ? 0.15 : 0.05, tags);
    sometimes("accept", 0.15, ["application/yaml", "text/csv", "application/xml", "application/json", "*/*", "x", "text/event-stream"]);
    sometimes("accept-api-version", 0.05, ["1", "2", "x", "1, 1"]);
    sometimes("last-event-id", 0.03, ["0.1", "x", ""]);
    sometimes("x-test-session", 0.02, ["ts_none", ...(this.known["test id"] ?? [])]);
    sometimes("expect", 0.01, ["100-continue", "200-ok"]);
    sometimes("x-long", 0.005, ["x".repeat(17_000)]);
    return headers;
  }

  #body({ json, textTypes }: ApiOperation): { readonly type: string | undefined; readonly bytes: Buffer } {
    const oddType = this.#happens(0.06)
      ? this.#pick([
          "text/plain",
          "multipart/form-data; boundary=x",
          "image/png",
          "application/json; charset=utf-16",
          "application/json;",
          "x",
          "application/zip",
        ])
      : undefined;
    if (textTypes.length > 0 && this.#happens(0.3)) {
      const type = this.#pick(textTypes);
      return { type: oddType ?? type, bytes: this.#bytes(type.includes("csv") ? this.#csv() : type.includes("xml") ? this.#xml() : this.#flow()) };
    }
    const value = json?.example !== undefined && this.#happens(0.6) ? this.#mutated(json.example) : this.#sample(json?.schema ?? {});
    return { type: oddType ?? this.#pick(["application/json", "application/json; charset=utf-8", undefined]), bytes: this.#bytes(JSON.stringify(value) ?? "") };
  }

  /** The text as bytes, sometimes damaged. */
  #bytes(text: string): Buffer {
    if (!this.#happens(0.1)) return Buffer.from(text);
    const at = Math.floor(this.#random() * (text.length + 1));
    return this.#pick<() => Buffer>([
      () => Buffer.alloc(0),
      () => Buffer.from(text.slice(0, at)),
      () => Buffer.from(text.slice(0, at) + this.#pick(["\u0000", '"', "}", "\\", "🙂", ",", "\n"]) + text.slice(at)),
      () => Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from([0xff, 0xfe]), Buffer.from(text.slice(at))]),
      () => Buffer.from(this.#pick(["[", "{", "null", "5", '"x"', "[]", "{}", '{"a":1,"a":2}', "[".repeat(5_000), '{"yaml":'])),
      () => Buffer.alloc(70_000, "x"),
    ])();
  }

  /** A copy in which a few members are changed, removed or added. */
  #mutated(value: unknown): unknown {
    if (this.#happens(0.04)) return this.#pick(oddValues);
    if (Array.isArray(value)) return value.flatMap((item: unknown) => (this.#happens(0.04) ? [] : [this.#mutated(item)]));
    if (typeof value !== "object" || value === null)
      return typeof value === "string" && value.startsWith("- route:") && this.#happens(0.5) ? this.#flow() : value;
    const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      if (this.#happens(0.04)) return [];
      const ids = this.#idsFor(name);
      return [[name, ids.length > 0 && this.#happens(0.8) ? this.#pick(ids) : this.#mutated(member)]];
    });
    if (this.#happens(0.04)) members.push([this.#pick(oddTexts), this.#pick(oddValues)]);
    return Object.fromEntries(members);
  }

  /** A value that mostly matches the schema. */
  #sample(schema: Schema, depth = 0): unknown {
    if (this.#happens(0.05) || depth > 6) return this.#pick(oddValues);
    if (schema["$ref"] !== undefined) {
      const target = String(schema["$ref"]).slice(2).split("/");
      return this.#sample(
        target.reduce<any>((at, key) => at[key], this.#document),
        depth,
      );
    }
    const choices = (schema["anyOf"] ?? schema["oneOf"]) as readonly Schema[] | undefined;
    if (choices !== undefined) return this.#sample(this.#pick(choices), depth);
    if (schema["const"] !== undefined) return schema["const"];
    if (schema["enum"] !== undefined) return this.#pick(schema["enum"] as readonly unknown[]);
    switch ([schema["type"]].flat()[0]) {
      case "object":
        return this.#sampleObject(schema, depth);
      case "array":
        return Array.from({ length: Math.floor(this.#random() * 3) }, () => this.#sample(schema["items"] ?? {}, depth + 1));
      case "string":
        return this.#pick(["x", "orders", "order-intake", "*", this.#flow(), this.#pick(oddTexts), ...Object.values(this.known).flat().slice(0, 20)]);
      case "integer":
        return this.#pick([schema["minimum"] ?? 0, 1, 2, 1_000, schema["maximum"] ?? 5, -1]);
      case "number":
        return this.#pick([0, 1, 0.5, 1_000]);
      case "boolean":
        return this.#happens(0.5);
      default:
        return this.#pick(oddValues);
    }
  }

  #sampleObject({ properties = {}, required = [], additionalProperties }: Schema, depth: number): unknown {
    const members = Object.entries<Schema>(properties)
      .filter(([name]) => (required.includes(name) ? this.#happens(0.97) : this.#happens(0.4)))
      .map(([name, member]) => [name, this.#sample(member, depth + 1)]);
    if (typeof additionalProperties === "object" && this.#happens(0.5)) members.push(["x", this.#sample(additionalProperties as Schema, depth + 1)]);
    return Object.fromEntries(members);
  }

  /** A flow that only sets bodies and logs, sometimes not a valid one. */
  #flow(): string {
    const id = this.#pick(["order-intake", "other", "third", "a b", "order-intake-2"]);
    const from = this.#pick(["webhook", "webhook", "direct:x", "platform-http:/shop", "platform-http:/_api/x", "timer:never?delay=100000000", "nowhere:x"]);
    const chosen = Array.from({ length: 1 + Math.floor(this.#random() * 3) }, () => `        - ${this.#pick(steps)}\n`);
    const text = `- route:\n    id: ${id}\n    from:\n      uri: ${from}\n      steps:\n${chosen.join("")}`;
    return this.#happens(0.8) ? text : text.replace(this.#pick(["- ", ":", "id", "\n", "    "]), this.#pick(["", "{", "\t", "*x ", "&x "]));
  }

  #csv(): string {
    return this.#pick(["shop,sap\npiece,ST\nbox,KAR\n", "SHOP|unit,SAP|MEINS\na,b\n", "a,a\n1,2\n", "a\n", '"a', "a,b\n1\n", ""]);
  }

  #xml(): string {
    const entry = (agency: string): string => `<entry><agency>${agency}</agency><schema>unit</schema><value>x</value></entry>`;
    return this.#pick([`<vm version="2.0"><group id="1">${entry("A")}${entry("B")}</group></vm>`, "<vm/>", "<vm><group>", "x", "<!DOCTYPE a><vm/>"]);
  }
}
