// Reads what a request brings along, query and body, against the endpoint's declaration. Every refusal names the member.
import { describe, type Field, type Fields } from "@sluice/model";
import type { z } from "zod";
import { Refusal } from "../refusal.ts";
import type { Endpoint } from "./endpoint.ts";
import type { ApiRequest } from "../http/management.ts";

/** The query's values. A name given twice is refused: a proxy might read the other one. */
export function readQuery(fields: Fields | undefined, query: URLSearchParams): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields ?? {})) {
    const given = query.getAll(name);
    if (given.length > 1) throw new Refusal("query-invalid", `${name} must be given once`);
    const result = (field as Field<unknown>).safeParse(given[0]);
    if (!result.success) throw new Refusal("query-invalid", queryFault(name, field as Field<unknown>, result.error.issues[0]?.message));
    values[name] = result.data;
  }
  return values;
}

function queryFault(name: string, field: Field<unknown>, message: string | undefined): string {
  const { kind, spec, values } = describe(field);
  const { min } = spec as { min?: number };
  if (kind === "integer") return min === undefined ? `${name} must be an integer` : `${name} must be an integer of ${min} or more`;
  if (values !== undefined) return `${name} must be one of ${values.join(", ")}`;
  return `${name}: ${message ?? "not understood"}`;
}

export interface ReadBody {
  readonly body: unknown;
  readonly raw: { readonly mediaType: string; readonly bytes: Buffer } | undefined;
}

const strict = new TextDecoder("utf-8", { fatal: true });
const binary = /^(multipart|image|audio|video|font)\/|^application\/(octet-stream|zip|gzip|pdf|x-tar)$/;

/** Reads and checks the body an endpoint asks for. */
export async function readRequestBody(endpoint: Endpoint, request: ApiRequest): Promise<ReadBody> {
  if (endpoint.body === undefined) return { body: undefined, raw: undefined };
  const { mediaType, charset, given } = contentType(request.headers["content-type"]);
  const isRaw = endpoint.rawBody?.includes(mediaType) === true;
  if ((binary.test(mediaType) && !isRaw) || (charset !== undefined && !/^(utf-?8|us-ascii)$/.test(charset)))
    throw new Refusal("media-unsupported", `unsupported content type '${given.slice(0, 100)}'`);
  const bytes = await request.readBody();
  if (isRaw) return { body: undefined, raw: { mediaType, bytes } };
  return { body: check(endpoint.body, parseJson(bytes, endpoint.rawBody?.includes("application/yaml") === true)), raw: undefined };
}

function contentType(header: string | undefined): { mediaType: string; charset: string | undefined; given: string } {
  const given = header ?? "application/json";
  const [type = "", ...parameters] = given.split(";");
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(parameter)?.[1]).find((value) => value !== undefined);
  return { mediaType: type.trim().toLowerCase(), charset: charset?.toLowerCase(), given };
}

function parseJson(bytes: Buffer, isYamlTaken: boolean): unknown {
  let text: string;
  try {
    text = strict.decode(bytes);
  } catch {
    throw new Refusal("body-invalid", "invalid JSON body: the text is not UTF-8");
  }
  if (text.trim() === "") throw new Refusal("body-invalid", "invalid JSON body: the body is empty");
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser quotes the text around the fault, which may be a secret: its position is enough.
    if (isYamlTaken && !text.trimStart().startsWith("{"))
      throw new Refusal("body-invalid", "invalid JSON body: it is no JSON object; send YAML with the header 'Content-Type: application/yaml'");
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw new Refusal(
      "body-invalid",
      `invalid JSON body: ${position === undefined ? "the text ends too early or is no JSON" : placeOf(text, Number(position))}`,
    );
  }
}

function placeOf(text: string, position: number): string {
  const lines = text.slice(0, position).split("\n");
  return `unexpected character at line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
}

/** The body as its schema reads it; throws a sentence about the first member that does not fit. */
function check<T>(schema: z.ZodType<T>, value: unknown): T {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Refusal("body-invalid", "the request body must be a JSON object");
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = deepest(result.error.issues[0] as z.core.$ZodIssue);
  const name = issue.path.map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? String(part) : `.${String(part)}`)).join("");
  throw new Refusal("body-invalid", fault(name, issue, valueAt(value, issue.path)));
}

/** Of a choice between shapes, the fault of the shape that came nearest says most: of the right type, with no unknown member, the deepest. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue;
  const without = (code: string, shapes: readonly z.core.$ZodIssue[][]): readonly z.core.$ZodIssue[][] =>
    shapes.filter((faults) => !faults.some((one) => one.code === code && one.path.length === 0));
  const ofItsType = without("invalid_type", issue.errors);
  const knowing = without("unrecognized_keys", ofItsType);
  const inner = (knowing.length > 0 ? knowing : ofItsType).flat().sort((a, b) => b.path.length - a.path.length)[0];
  return inner === undefined ? issue : deepest({ ...inner, path: [...issue.path, ...inner.path] });
}

const articles: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
};

function fault(name: string, issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return `${name} is required`;
  switch (issue.code) {
    case "invalid_type":
      return `${name} must be ${articles[issue.expected] ?? `of type ${issue.expected}`}`;
    case "unrecognized_keys":
      return `${name === "" ? "" : `${name}: `}unknown member '${issue.keys[0]}'`;
    case "invalid_value":
      return `${name} must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return issue.origin === "array" || issue.origin === "string" ? `${name} must not be empty` : `${name} must be ${issue.minimum} or more`;
    case "too_big":
      if (issue.origin === "string") return `${name} must have ${issue.maximum} characters at most`;
      return issue.origin === "array" ? `${name} must have ${issue.maximum} entries at most` : `${name} must be ${issue.maximum} or less`;
    default:
      return issue.code === "custom" ? `${name} ${issue.message}` : `${name} is not understood`;
  }
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) => (typeof inner === "object" && inner !== null ? (inner as Record<PropertyKey, unknown>)[part] : undefined),
    value,
  );
}

/** A moment as the API takes it, in milliseconds since the epoch. */
export function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Date.parse(text);
  if (Number.isNaN(value)) throw new Refusal("query-invalid", `${name} must be a time such as 2026-11-14T16:02:33.120Z`);
  return value;
}
