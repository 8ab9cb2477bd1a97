// An OpenAPI document as the content of a reference page: the page of the documentation and the screen of the designer show the same.

export interface ApiReference {
  /** Paragraphs; text between backticks is code. */
  readonly introduction: readonly string[];
  /** The errors that every operation with a token can respond with; they are not repeated in the operations. */
  readonly commonErrors: readonly ErrorText[];
  /** The parameters of every operation of the API, likewise. */
  readonly commonParameters: readonly ParameterText[];
  readonly sections: readonly ApiSection[];
  readonly schemas: readonly SchemaText[];
}

export interface ApiSection {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly operations: readonly OperationText[];
}

export interface OperationText {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly needsToken: boolean;
  readonly parameters: readonly ParameterText[];
  readonly body: BodyText | undefined;
  readonly replies: readonly ReplyText[];
  readonly errors: readonly ErrorText[];
  /** A call with curl; `$SLUICE` is the address of the runtime, `$AUTH` the authorization header. */
  readonly example: string;
}

export interface ParameterText {
  readonly name: string;
  readonly location: string;
  readonly type: TypeText;
  readonly isRequired: boolean;
  /** As JSON; undefined without a default. */
  readonly defaultValue: string | undefined;
  readonly description: string;
}

export interface BodyText {
  readonly isRequired: boolean;
  readonly members: readonly MemberText[];
  /** Media types in which the body can be sent as text. */
  readonly textTypes: readonly string[];
}

export interface MemberText {
  readonly name: string;
  readonly type: TypeText;
  readonly isRequired: boolean;
  readonly description: string;
}

export interface ReplyText {
  readonly status: string;
  readonly description: string;
  readonly contents: readonly ContentText[];
  /** As indented JSON. */
  readonly example: string | undefined;
}

export type ContentText =
  | { readonly kind: "type"; readonly type: TypeText }
  | { readonly kind: "members"; readonly members: readonly MemberText[] }
  | { readonly kind: "events"; readonly events: readonly MemberText[] }
  | { readonly kind: "text"; readonly mediaType: string };

export interface ErrorText {
  readonly status: string;
  readonly codes: readonly { readonly code: string; readonly meaning: string }[];
}

export interface SchemaText {
  readonly name: string;
  readonly type: TypeText;
  readonly description: string;
  /** Undefined for a schema that is not an object with known members. */
  readonly members: readonly MemberText[] | undefined;
}

/** Part of a type: text, a value in code, or the name of a schema. */
export type TypePart = { readonly text: string } | { readonly code: string } | { readonly schema: string };
export type TypeText = readonly TypePart[];

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);
const nodeAt = (node: Node, name: string): Node => (isNode(node[name]) ? node[name] : {});
const nodesAt = (node: Node, name: string): readonly Node[] => (Array.isArray(node[name]) ? node[name].filter(isNode) : []);
const textAt = (node: Node, name: string): string => (typeof node[name] === "string" ? node[name] : "");
const entriesAt = (node: Node, name: string): readonly (readonly [string, Node])[] =>
  Object.keys(nodeAt(node, name)).map((key) => [key, nodeAt(nodeAt(node, name), key)]);

/** Reads the document of a runtime of any version: what is missing is empty. */
export function apiReference(document: unknown): ApiReference {
  const root = isNode(document) ? document : {};
  const operations = entriesAt(root, "paths").flatMap(([path]) =>
    entriesAt(nodeAt(root, "paths"), path).map(([method, operation]) => ({ tags: operation["tags"], text: operationText(root, path, method, operation) })),
  );
  const apiOperations = operations.map(({ text }) => text).filter(({ path }) => path.startsWith("/_api/"));
  const commonErrors = errorsOfAll(apiOperations.filter(({ needsToken }) => needsToken));
  const commonParameters = parametersOfAll(apiOperations);
  const sections = nodesAt(root, "tags").map((tag) => ({
    name: textAt(tag, "name"),
    title: textAt(tag, "x-displayName") || textAt(tag, "name"),
    description: textAt(tag, "description"),
    operations: operations
      .filter(({ tags }) => Array.isArray(tags) && tags.includes(tag["name"]))
      .map(({ text }) => ({
        ...text,
        parameters: text.parameters.filter((parameter) => !commonParameters.some((common) => isSame(common, parameter))),
        errors: text.needsToken ? without(text.errors, commonErrors) : text.errors,
      })),
  }));
  const schemas = entriesAt(nodeAt(root, "components"), "schemas").map(([name, schema]) => ({
    name,
    type: typeText(schema),
    description: textAt(schema, "description"),
    members: schema["properties"] === undefined ? undefined : membersOf(schema),
  }));
  return { introduction: textAt(nodeAt(root, "info"), "description").split("\n\n"), commonErrors, commonParameters, sections, schemas };
}

function operationText(root: Node, path: string, method: string, operation: Node): OperationText {
  const parameters = nodesAt(operation, "parameters").map((parameter) => parameterText(resolved(root, parameter)));
  const body = operation["requestBody"] === undefined ? undefined : bodyText(nodeAt(operation, "requestBody"));
  const responses = entriesAt(operation, "responses")
    .filter(([status]) => status !== "default")
    .map(([status, response]) => [status, resolved(root, response)] as const);
  const security = operation["security"] ?? root["security"];
  return {
    id: textAt(operation, "operationId"),
    method: method.toUpperCase(),
    path,
    summary: textAt(operation, "summary"),
    description: textAt(operation, "description"),
    needsToken: Array.isArray(security) && security.length > 0,
    parameters,
    body,
    replies: responses.filter(([, response]) => response["x-error-codes"] === undefined).map(([status, response]) => replyText(status, response)),
    errors: responses.flatMap(([status, response]) => {
      const codes = nodeAt(response, "x-error-codes");
      return response["x-error-codes"] === undefined ? [] : [{ status, codes: Object.keys(codes).map((code) => ({ code, meaning: textAt(codes, code) })) }];
    }),
    example: exampleCall(root, path, method, operation),
  };
}

/** Follows a reference within the document. */
function resolved(root: Node, node: Node): Node {
  const reference = textAt(node, "$ref");
  if (!reference.startsWith("#/")) return node;
  return reference.slice(2).split("/").reduce(nodeAt, root);
}

function parameterText(parameter: Node): ParameterText {
  const schema = nodeAt(parameter, "schema");
  return {
    name: textAt(parameter, "name"),
    location: textAt(parameter, "in"),
    type: typeText(schema),
    isRequired: parameter["required"] === true,
    defaultValue: schema["default"] === undefined ? undefined : JSON.stringify(schema["default"]),
    description: textAt(parameter, "description"),
  };
}

function bodyText(body: Node): BodyText {
  const contents = entriesAt(body, "content");
  const json = contents.find(([type]) => type === "application/json")?.[1] ?? {};
  return {
    isRequired: body["required"] === true,
    members: membersOf(nodeAt(json, "schema")),
    textTypes: contents.map(([type]) => type).filter((type) => type !== "application/json"),
  };
}

function membersOf(schema: Node): readonly MemberText[] {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return entriesAt(schema, "properties").map(([name, member]) => ({
    name,
    type: typeText(member),
    isRequired: required.includes(name),
    description: textAt(member, "description"),
  }));
}

const replyText = (status: string, response: Node): ReplyText => ({
  status,
  description: textAt(response, "description"),
  contents: entriesAt(response, "content").map(([type, content]) => contentText(type, content)),
  example: jsonText(nodeAt(nodeAt(response, "content"), "application/json")["example"]),
});

const jsonText = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value, undefined, 2));

function contentText(mediaType: string, content: Node): ContentText {
  const events = entriesAt(content, "x-events");
  if (events.length > 0)
    return { kind: "events", events: events.map(([name, schema]) => ({ name, type: typeText(schema), isRequired: true, description: "" })) };
  if (!mediaType.endsWith("json")) return { kind: "text", mediaType };
  const schema = nodeAt(content, "schema");
  return schema["properties"] === undefined ? { kind: "type", type: typeText(schema) } : { kind: "members", members: membersOf(schema) };
}

function typeText(schema: Node): TypeText {
  const reference = textAt(schema, "$ref");
  if (reference !== "") return [{ schema: reference.split("/").at(-1) ?? "" }];
  if (schema["const"] !== undefined) return [{ code: String(schema["const"]) }];
  if (Array.isArray(schema["enum"]))
    return separated(
      schema["enum"].map((value) => [{ code: String(value) }]),
      ", ",
    );
  // Next to a type, choices only say which members exclude each other.
  const choices = schema["type"] === undefined ? [...nodesAt(schema, "anyOf"), ...nodesAt(schema, "oneOf")] : [];
  if (choices.length > 0) return separated(distinct(choices.map(typeText)), " or ");
  if (schema["type"] === "array") return [{ text: "list of " }, ...typeText(nodeAt(schema, "items"))];
  return [{ text: [schema["type"] ?? "any"].flat().join(" or ") }];
}

function distinct(types: readonly TypeText[]): readonly TypeText[] {
  return [...new Map(types.map((type) => [JSON.stringify(type), type])).values()];
}

const separated = (types: readonly TypeText[], separator: string): TypeText =>
  types.flatMap((type, index) => (index === 0 ? type : [{ text: separator }, ...type]));

function errorsOfAll(operations: readonly OperationText[]): readonly ErrorText[] {
  const [first, ...others] = operations;
  if (first === undefined) return [];
  const hasCode = (code: string, { errors }: OperationText): boolean => errors.some(({ codes }) => codes.some((known) => known.code === code));
  return first.errors
    .map(({ status, codes }) => ({ status, codes: codes.filter(({ code }) => others.every((operation) => hasCode(code, operation))) }))
    .filter(({ codes }) => codes.length > 0);
}

const isSame = (a: ParameterText, b: ParameterText): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Of a single operation, no parameter is common. */
function parametersOfAll([first, ...others]: readonly OperationText[]): readonly ParameterText[] {
  if (first === undefined || others.length === 0) return [];
  return first.parameters.filter((parameter) => others.every(({ parameters }) => parameters.some((other) => isSame(other, parameter))));
}

function without(errors: readonly ErrorText[], common: readonly ErrorText[]): readonly ErrorText[] {
  const omitted = new Set(common.flatMap(({ codes }) => codes.map(({ code }) => code)));
  return errors.map(({ status, codes }) => ({ status, codes: codes.filter(({ code }) => !omitted.has(code)) })).filter(({ codes }) => codes.length > 0);
}

/** Required parameters have their example; a value that has none is shown as its name in capitals. */
function exampleCall(root: Node, path: string, method: string, operation: Node): string {
  const parameters = nodesAt(operation, "parameters").map((parameter) => resolved(root, parameter));
  const valueOf = (name: string): string => {
    const example = parameters.find((parameter) => parameter["name"] === name)?.["example"];
    return typeof example === "string" ? example : name.toUpperCase();
  };
  const query = parameters
    .filter((parameter) => parameter["in"] === "query" && parameter["required"] === true)
    .map((parameter) => `${textAt(parameter, "name")}=${valueOf(textAt(parameter, "name"))}`);
  const address = `$SLUICE${path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => valueOf(name))}${query.length === 0 ? "" : `?${query.join("&")}`}`;
  const security = operation["security"] ?? root["security"];
  const content = nodeAt(nodeAt(operation, "requestBody"), "content");
  const body = jsonText(nodeAt(content, "application/json")["example"]);
  return [
    `curl${method === "get" ? "" : ` -X ${method.toUpperCase()}`} "${address}"`,
    ...(Array.isArray(security) && security.length > 0 && path.startsWith("/_api/") ? ['-H "$AUTH"'] : []),
    ...("text/event-stream" in nodeAt(nodeAt(nodeAt(operation, "responses"), "200"), "content") ? ["-N"] : []),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d '${body.replaceAll("'", "'\\''")}'`]),
  ].join(" \\\n  ");
}
