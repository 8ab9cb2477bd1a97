// Creates the OpenAPI document of the REST services of a flow. It is served at the `apiContextPath` of the REST configuration.
import type { Values } from "@sluice/model";
import type { restFields, verbFields, verbs } from "./rest-fields.ts";
import { pairsOf } from "./rest-operation.ts";
import { joinPath } from "./rest-path.ts";

type Json = Readonly<Record<string, unknown>>;
type Service = Values<typeof restFields>;
type Operation = Values<typeof verbFields>;
type Param = Operation["param"][number];

export interface ApiDescription {
  readonly title: string;
  readonly contextPath: string;
  /** `apiProperty` of the REST configuration: `api.title`, `api.version`, … */
  readonly properties: Readonly<Record<string, string>>;
  readonly services: readonly Service[];
  readonly methods: typeof verbs;
}

const isOff = (apiDocs: string | undefined): boolean => apiDocs?.trim().toLowerCase() === "false";

export function apiDocument({ title, contextPath, properties, services, methods }: ApiDescription): Json {
  const documented = services.filter(({ disabled, apiDocs }) => !disabled && !isOff(apiDocs));
  const paths: Record<string, Record<string, Json>> = {};
  for (const service of documented)
    for (const method of methods)
      for (const operation of service[method]) {
        if (operation.disabled || operation.to.disabled || isOff(operation.apiDocs)) continue;
        const path = joinPath(contextPath, service.path, operation.path);
        paths[path] = { ...paths[path], [method]: operationOf(operation, service, path) };
      }
  const tags = documented.flatMap(({ tag, description }) => (tag === undefined ? [] : [omitUndefined({ name: tag, description })]));
  const securitySchemes = Object.assign({}, ...documented.map(({ securityDefinitions }) => schemesOf(securityDefinitions))) as Json;
  return omitUndefined({
    openapi: "3.0.3",
    info: infoOf(title, properties),
    tags: tags.length === 0 ? undefined : tags,
    paths,
    components: Object.keys(securitySchemes).length === 0 ? undefined : { securitySchemes },
  });
}

function infoOf(title: string, properties: Readonly<Record<string, string>>): Json {
  const part = (prefix: string, names: readonly string[]): Json | undefined => {
    const found = omitUndefined(Object.fromEntries(names.map((name) => [name, properties[`${prefix}.${name}`]])));
    return Object.keys(found).length === 0 ? undefined : found;
  };
  return omitUndefined({
    title: properties["api.title"] ?? title,
    version: properties["api.version"] ?? "1.0.0",
    description: properties["api.description"],
    termsOfService: properties["api.termsOfService"],
    contact: part("api.contact", ["name", "url", "email"]),
    license: part("api.license", ["name", "url"]),
  });
}

function operationOf(operation: Operation, service: Service, path: string): Json {
  const declared = new Map(operation.param.map((param) => [param.name, param]));
  const fromPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => declared.get(name) ?? { ...undeclaredParameter, name });
  const others = operation.param.filter(({ name, type }) => type === "query" || type === "header" || (type === "path" && !path.includes(`{${name}}`)));
  const body = operation.param.find(({ type }) => type === "body");
  const consumes = operation.consumes ?? service.consumes;
  const produces = operation.produces ?? service.produces;
  const security = (operation.security ?? service.securityRequirements ?? []).flatMap((requirement) =>
    requirement?.key === undefined ? [] : [{ [requirement.key]: scopesOf(requirement.scopes) }],
  );
  return omitUndefined({
    tags: service.tag === undefined ? undefined : [service.tag],
    summary: operation.description,
    operationId: operation.routeId ?? operation.id,
    deprecated: operation.deprecated ? true : undefined,
    parameters: nonEmpty([...fromPath, ...others].map((param) => parameterOf(param, path))),
    requestBody:
      consumes === undefined && body === undefined
        ? undefined
        : omitUndefined({ description: body?.description, required: body?.required ?? false, content: contentOf(consumes) }),
    responses: responsesOf(operation.responseMessage, produces),
    security: nonEmpty(security),
  });
}

const undeclaredParameter = { type: "path", required: true } as const;

function parameterOf(param: Pick<Param, "name" | "type" | "required"> & Partial<Param>, path: string): Json {
  const inPath = param.type === "path" && path.includes(`{${param.name}}`);
  const values = (param.allowableValues ?? []).flatMap((item) => item?.value ?? []);
  const item = omitUndefined({ type: param.dataType ?? "string", format: param.dataFormat, enum: nonEmpty(values), default: param.defaultValue });
  return omitUndefined({
    name: param.name,
    in: inPath ? "path" : param.type === "header" ? "header" : "query",
    required: inPath || param.required,
    description: param.description,
    schema: param.dataType === "array" ? { type: "array", items: { type: param.arrayType ?? "string" } } : item,
  });
}

function responsesOf(messages: Operation["responseMessage"], produces: string | undefined): Json {
  const content = contentOf(produces);
  if (messages.length === 0) return { "200": { description: "The route's reply.", content } };
  return Object.fromEntries(
    messages.map(({ code, message, contentType, header }) => {
      const headers = Object.fromEntries(
        (header ?? []).flatMap((item) =>
          item?.name === undefined ? [] : [[item.name, omitUndefined({ description: item.description, schema: { type: item.dataType ?? "string" } })] as const],
        ),
      );
      return [
        code,
        omitUndefined({
          description: message,
          headers: Object.keys(headers).length === 0 ? undefined : headers,
          content: contentType === undefined ? content : contentOf(contentType),
        }),
      ];
    }),
  );
}

/** `application/json,application/xml` as the content of a body; its schema is not known. */
const contentOf = (types: string | undefined): Json => Object.fromEntries((types ?? "*/*").split(",").map((type) => [type.trim(), { schema: {} }] as const));

function schemesOf(definitions: Service["securityDefinitions"]): Json {
  const schemes: Record<string, Json> = {};
  for (const [kind, definition] of Object.entries((definitions ?? {}) as Readonly<Record<string, Members | undefined>>)) {
    const key = definition?.["key"];
    if (definition === undefined || key === undefined) continue;
    schemes[key] = omitUndefined({ ...schemeOf(kind, definition), description: definition["description"] });
  }
  return schemes;
}

type Members = Readonly<Record<string, string | undefined>>;

function schemeOf(kind: string, definition: Members): Json {
  const isTrue = (name: string): boolean => definition[name]?.trim().toLowerCase() === "true";
  const { authorizationUrl, tokenUrl, refreshUrl } = definition as { authorizationUrl?: string; tokenUrl?: string; refreshUrl?: string };
  switch (kind) {
    case "apiKey":
      return { type: "apiKey", name: definition["name"], in: isTrue("inQuery") ? "query" : isTrue("inCookie") ? "cookie" : "header" };
    case "basicAuth":
      return { type: "http", scheme: "basic" };
    case "bearerToken":
      return { type: "http", scheme: "bearer", bearerFormat: definition["format"] };
    case "openIdConnect":
      return { type: "openIdConnect", openIdConnectUrl: definition["url"] };
    case "oauth2": {
      const flow = definition["flow"] ?? (authorizationUrl === undefined ? "clientCredentials" : "authorizationCode");
      return { type: "oauth2", flows: { [flow]: omitUndefined({ authorizationUrl, tokenUrl, refreshUrl, scopes: pairsOf(definition["scopes"]) }) } };
    }
    default:
      return { type: kind };
  }
}

const scopesOf = (text: string | undefined): readonly string[] =>
  text === undefined || text.trim() === "" ? [] : text.split(",").map((scope) => scope.trim());

const nonEmpty = <T>(items: readonly T[]): readonly T[] | undefined => (items.length === 0 ? undefined : items);

/** The members that have a value. */
function omitUndefined(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
