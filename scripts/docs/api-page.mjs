// The management API as a page, from its OpenAPI document.
import { page } from "./declaration-page.mjs";

/** A heading must differ from the names of all schemas, because links to a schema use its name. */
const headings = { api: "API", catalog: "Catalog and schema", health: "Health and metrics" };

export function apiPage(document) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
  const tags = [...new Set(operations.flatMap((operation) => operation.tags))];
  const sections = tags.map((tag) =>
    [
      `## ${headings[tag] ?? `${tag.charAt(0).toUpperCase()}${tag.slice(1)}`}`,
      ...operations.filter((operation) => operation.tags.includes(tag)).map(operationText),
    ].join("\n\n"),
  );
  return page(
    "# Management API",
    'Every call except `GET /_api/health` requires `Authorization: Bearer <token>` with the value of `SERVICE_DEPLOY_TOKEN`. Error responses have the body `{"error": "…"}`. The response header `X-Api-Version` contains the API version; `Accept-Api-Version: 1` requests a version, and an unsupported one is rejected with 406. A running server provides this reference as an OpenAPI 3.1 document at `/_api/openapi.json`.',
    overview(operations),
    ...sections,
    schemasText(document.components.schemas),
  );
}

function overview(operations) {
  return ["| Call | Description |", "|---|---|", ...operations.map(({ method, path, summary }) => `| \`${method} ${path}\` | ${summary} |`)].join("\n");
}

function operationText({ method, path, summary, security, parameters = [], requestBody, responses }) {
  const ownParameters = parameters.filter((parameter) => parameter.$ref === undefined);
  const isConditional = parameters.some(({ $ref }) => $ref?.endsWith("/IfMatch"));
  const rows = ownParameters.map(
    ({ name, in: location, required, description, schema }) =>
      `| \`${name}\` | ${location} | ${typeText(schema)}${required ? ", required" : ""}${defaultText(schema.default)} | ${description ?? ""} |`,
  );
  const members = Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) => bodyRows(type, schema));
  const replies = Object.entries(responses)
    .filter(([status]) => status !== "default")
    .map(
      ([status, { description, content }]) =>
        `| ${status} | ${description} | ${Object.entries(content ?? {})
          .map(([type, media]) => contentText(type, media))
          .join(", or ")} |`,
    );
  return [
    `### ${method} ${path}`,
    `${summary}.${security !== undefined && security.length === 0 ? " Needs no token." : ""}${isConditional ? " With `If-Match`, the call is rejected unless the current hash matches." : ""}`,
    rows.length === 0 ? "" : ["| Parameter | In | Type | Meaning |", "|---|---|---|---|", ...rows].join("\n"),
    members.length === 0 ? "" : [`| Body${requestBody.required ? "" : " (optional)"} | Type |`, "|---|---|", ...members].join("\n"),
    ["| Status | Meaning | Body |", "|---|---|---|", ...replies].join("\n"),
  ]
    .filter((block) => block !== "")
    .join("\n\n");
}

function defaultText(value) {
  if (value === undefined) return "";
  return value === "" ? ", empty by default" : `, \`${value}\` by default`;
}

function contentText(type, { schema, "x-events": events }) {
  if (events !== undefined)
    return Object.entries(events)
      .map(([name, event]) => `\`${name}\` (${typeText(event)})`)
      .join(", ");
  if (!type.endsWith("json")) return `\`${type}\``;
  const members = Object.entries(schema.properties ?? {});
  if (members.length === 0) return typeText(schema);
  return members.map(([name, member]) => `\`${name}\`${JSON.stringify(member).includes('"$ref"') ? ` (${typeText(member)})` : ""}`).join(", ");
}

function schemasText(schemas) {
  const sections = Object.entries(schemas).map(([name, schema]) => {
    if (schema.properties === undefined) return `### ${name}\n\n${typeText(schema)}`;
    const rows = Object.entries(schema.properties).map(
      ([member, inner]) => `| \`${member}\`${schema.required?.includes(member) ? "" : " (optional)"} | ${typeText(inner)} | ${inner.description ?? ""} |`,
    );
    return [`### ${name}`, ["| Member | Type | Meaning |", "|---|---|---|", ...rows].join("\n")].join("\n\n");
  });
  return ["## Schemas", "Responses may have further members.", ...sections].join("\n\n");
}

function bodyRows(type, schema) {
  if (type !== "application/json") return [`| (\`${type}\`) | the text itself |`];
  return Object.entries(schema.properties ?? {}).map(
    ([name, member]) => `| \`${name}\`${schema.required?.includes(name) ? " (required)" : ""} | ${typeText(member)} |`,
  );
}

function typeText(schema) {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeText))].join(" or ");
  if (schema.type === "array") return `list of ${typeText(schema.items ?? {})}`;
  return [schema.type ?? "any"].flat().join(" or ");
}
