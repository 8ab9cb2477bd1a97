// Reads the query and the body of a request according to the endpoint's declaration. Every error names the invalid member.
import { checkJsonIncrementally, isJsonLimitError, parsePlainJsonIncrementally, textPosition } from "@sluice/engine/values";
import { describe, type Field, type Fields } from "@sluice/model";
import type { z } from "zod";
import { systemClock } from "../host/clock.ts";
import { inSlices } from "../host/in-slices.ts";
import { ServiceError } from "../service-error.ts";
import { DuplicateNames } from "./duplicate-names.ts";
import { isBodyOptional, type Endpoint } from "./endpoint.ts";
import type { ApiRequest } from "../http/management.ts";

/** Reads the query. Repeated names are rejected: a proxy might use the other value. */
export function readQuery(fields: Fields | undefined, query: URLSearchParams): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields ?? {})) {
    const texts = query.getAll(name);
    if (texts.length > 1) throw new ServiceError("query-invalid", `${name} must not be repeated`);
    const isList = describe(field as Field<unknown>).kind === "list";
    const result = (field as Field<unknown>).safeParse(isList ? texts[0]?.split(",").map((item) => item.trim()) : texts[0]);
    if (!result.success) throw new ServiceError("query-invalid", queryFault(name, field as Field<unknown>, result.error.issues[0]?.message));
    values[name] = result.data;
  }
  return values;
}

function queryFault(name: string, field: Field<unknown>, message: string | undefined): string {
  const { kind, spec, values, item } = describe(field);
  const { min } = spec as { min?: number };
  if (item !== undefined) return `${name} must be a comma-separated list of ${describe(item).values?.join(", ") ?? "values"}`;
  if (kind === "integer") return min === undefined ? `${name} must be an integer` : `${name} must be an integer of ${min} or more`;
  if (values !== undefined) return `${name} must be one of ${values.join(", ")}`;
  return `${name}: ${message ?? "invalid value"}`;
}

export interface ReadBody {
  readonly body: unknown;
  readonly raw: { readonly mediaType: string; readonly bytes: Buffer } | undefined;
}

/** Bodies of at least this size are processed in slices, so that the event loop can serve webhooks in between. */
const longBodyBytes = 1024 * 1024;
const strictUtf8 = new TextDecoder("utf-8", { fatal: true });
const binaryTypes = /^(multipart|image|audio|video|font)\/|^application\/(octet-stream|zip|gzip|pdf|x-tar)$/;

/** Reads and validates the body. */
export async function readRequestBody(endpoint: Endpoint, request: ApiRequest): Promise<ReadBody> {
  if (endpoint.body === undefined) return { body: undefined, raw: undefined };
  const { mediaType, charset, value } = contentType(request.headers["content-type"]);
  const isRaw = endpoint.rawBody?.includes(mediaType) === true;
  if ((binaryTypes.test(mediaType) && !isRaw) || (charset !== undefined && !/^(utf-?8|us-ascii)$/.test(charset)))
    throw new ServiceError("media-unsupported", `unsupported content type '${value.slice(0, 100)}'`);
  const bytes = await request.readBody();
  if (isRaw) return { body: undefined, raw: { mediaType, bytes } };
  if (bytes.length === 0 && isBodyOptional(endpoint)) return { body: undefined, raw: undefined };
  const json = await parseJson(bytes, endpoint.rawBody?.includes("application/yaml") === true);
  if (bytes.length < longBodyBytes) return { body: check(endpoint.body, json), raw: undefined };
  await systemClock.yieldToEventLoop();
  const body = check(endpoint.body, json);
  await systemClock.yieldToEventLoop();
  return { body, raw: undefined };
}

function contentType(header: string | undefined): { mediaType: string; charset: string | undefined; value: string } {
  const value = header ?? "application/json";
  const [type = "", ...parameters] = value.split(";");
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(parameter)?.[1]).find((name) => name !== undefined);
  return { mediaType: type.trim().toLowerCase(), charset: charset?.toLowerCase(), value };
}

async function parseJson(bytes: Buffer, acceptsYaml: boolean): Promise<unknown> {
  let text: string;
  try {
    text = strictUtf8.decode(bytes);
  } catch {
    throw new ServiceError("body-invalid", "invalid JSON body: the text is not UTF-8");
  }
  if (text.trim() === "") throw new ServiceError("body-invalid", "invalid JSON body: the body is empty");
  let value: unknown;
  try {
    if (bytes.length >= longBodyBytes) await systemClock.yieldToEventLoop();
    // Every body is an object: a long list is rejected without creating its values.
    const isLongList = text.length >= longBodyBytes && /^\s*\[/.test(text);
    value = await inSlices(isLongList ? checkJsonIncrementally(text) : parsePlainJsonIncrementally(text));
    if (isLongList) throw notAnObject();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if (isJsonLimitError(error)) throw new ServiceError("body-invalid", `invalid JSON body: ${error.describe("it")}`);
    // The parser quotes text around the error, which may be a secret, so only the position is reported.
    if (acceptsYaml && !text.trimStart().startsWith("{"))
      throw new ServiceError("body-invalid", "invalid JSON body: not a JSON object; to send YAML, set the header 'Content-Type: application/yaml'");
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw new ServiceError(
      "body-invalid",
      `invalid JSON body: ${position === undefined ? "the text is incomplete or not JSON" : `unexpected character at ${textPosition(text, Number(position))}`}`,
    );
  }
  await rejectDuplicateNames(text);
  return value;
}

/** Number of characters scanned before yielding to the event loop. */
const charactersPerTurn = 262_144;

async function rejectDuplicateNames(text: string): Promise<void> {
  const names = new DuplicateNames(text);
  // Parsing a long text has already blocked the event loop for a while.
  if (text.length > charactersPerTurn) await systemClock.yieldToEventLoop();
  for (;;) {
    const duplicate = names.scan(charactersPerTurn);
    if (duplicate !== undefined)
      throw new ServiceError(
        "body-invalid",
        `invalid JSON body: the name '${duplicate.name.slice(0, 60)}' is repeated in one object at ${textPosition(text, duplicate.position)}`,
      );
    if (names.isDone) return;
    await systemClock.yieldToEventLoop();
  }
}

const notAnObject = (): ServiceError => new ServiceError("body-invalid", "the request body must be a JSON object");

/** Validates the body; throws an error about the first invalid member. */
function check<T>(schema: z.ZodType<T>, value: unknown): T {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw notAnObject();
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = deepest(result.error.issues[0] as z.core.$ZodIssue);
  const name = issue.path.map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? String(part) : `.${String(part)}`)).join("");
  throw new ServiceError("body-invalid", fault(name, issue, valueAt(value, issue.path)));
}

/** For a union, returns the issue of the closest alternative: the one with the right type, no unknown property and the deepest path. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue;
  const without = (code: string, shapes: readonly z.core.$ZodIssue[][]): readonly z.core.$ZodIssue[][] =>
    shapes.filter((issues) => !issues.some(({ code: issueCode, path }) => issueCode === code && path.length === 0));
  const ofSameType = without("invalid_type", issue.errors);
  const withoutUnknownKeys = without("unrecognized_keys", ofSameType);
  const inner = (withoutUnknownKeys.length > 0 ? withoutUnknownKeys : ofSameType).flat().sort((a, b) => b.path.length - a.path.length)[0];
  return inner === undefined ? issue : deepest({ ...inner, path: [...issue.path, ...inner.path] });
}

const typeDescriptions: Readonly<Record<string, string>> = {
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
      return `${name} must be ${typeDescriptions[issue.expected] ?? `of type ${issue.expected}`}`;
    case "unrecognized_keys":
      return `${name === "" ? "" : `${name}: `}unknown property '${issue.keys[0]}'`;
    case "invalid_value":
      return `${name} must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return issue.origin === "array" || issue.origin === "string" ? `${name} must not be empty` : `${name} must be ${issue.minimum} or more`;
    case "too_big":
      if (issue.origin === "string") return `${name} must have at most ${issue.maximum} characters`;
      return issue.origin === "array" ? `${name} must have at most ${issue.maximum} entries` : `${name} must be ${issue.maximum} or less`;
    default:
      return issue.code === "custom" ? `${name} ${issue.message}` : `${name} is invalid`;
  }
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) => (typeof inner === "object" && inner !== null ? (inner as Record<PropertyKey, unknown>)[part] : undefined),
    value,
  );
}

/** Parses a time to milliseconds since the epoch. */
export function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Date.parse(text);
  if (Number.isNaN(value)) throw new ServiceError("query-invalid", `${name} must be a time such as 2026-11-14T16:02:33.120Z`);
  return value;
}
