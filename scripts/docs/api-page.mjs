// The management API as a page, from its OpenAPI document. The designer shows the same content (packages/model/src/api/api-reference.ts).
import { apiReference } from "@sluice/model";
import { page } from "./declaration-page.mjs";

export function apiPage(document) {
  const { introduction, commonErrors, commonParameters, sections, schemas } = apiReference(document);
  return page(
    "# Management API",
    ...introduction,
    "A running server provides this reference as an OpenAPI 3.1 document at `/_api/openapi.json`, together with its webhooks; the designer shows it under **Settings**.",
    "Every operation accepts these parameters; the response header `X-Api-Version` has the version of the response:",
    table(parameterHeadings, commonParameters.map(parameterCells)),
    `Every operation that requires the token can also respond with ${errorsText(commonErrors)}. [Error codes](errors.md) describes each code. In the examples, \`$SLUICE\` is the address of the runtime, and \`$AUTH\` is \`Authorization: Bearer <token>\`.`,
    ["| Call | Description |", "|---|---|", ...sections.flatMap(({ operations }) => operations.map(overviewRow))].join("\n"),
    ...sections.map(sectionText),
    ["## Schemas", "Responses may have further members.", ...schemas.filter(({ name }) => name !== "Error").map(schemaText)].join("\n\n"),
  );
}

const parameterHeadings = ["Parameter", "Type", "Meaning"];

const overviewRow = ({ method, path, summary }) => `| \`${method} ${path}\` | ${summary} |`;

const sectionText = ({ title, description, operations }) => [`## ${title}`, description, ...operations.map(operationText)].join("\n\n");

function operationText({ method, path, summary, description, needsToken, parameters, body, replies, errors, example }) {
  return [
    `### ${method} ${path}`,
    `${summary}. ${description}${needsToken ? "" : " Needs no token."}`,
    table(parameterHeadings, parameters.map(parameterCells)),
    body === undefined ? "" : bodyText(body),
    table(
      ["Status", "Meaning", "Body"],
      replies.map(({ status, description: meaning, contents }) => [status, meaning, contents.map(contentText).join(", or ")]),
    ),
    errors.length === 0 ? "" : `Errors: ${errorsText(errors)}.`,
    `\`\`\`sh elsewhere\n${example}\n\`\`\``,
    ...replies.flatMap((reply) => (reply.example === undefined ? [] : [`\`\`\`json\n${reply.example}\n\`\`\``])),
  ]
    .filter((block) => block !== "")
    .join("\n\n");
}

const parameterCells = ({ name, location, type, isRequired, defaultValue, description }) => [
  // Most parameters are in the query. A column for the location would not fit on a phone.
  `\`${name}\`${location === "query" ? "" : ` (${location})`}`,
  `${typeText(type)}${isRequired ? ", required" : ""}${defaultText(defaultValue)}`,
  description,
];

function defaultText(value) {
  if (value === undefined) return "";
  return value === '""' ? ", empty by default" : `, \`${value.replace(/^"(.*)"$/, "$1")}\` by default`;
}

function bodyText({ isRequired, members, textTypes }) {
  const rows = members.map(({ name, type, isRequired: isNeeded, description }) => [`\`${name}\`${isNeeded ? " (required)" : ""}`, typeText(type), description]);
  const types = textTypes.length === 0 ? [] : [[`(${textTypes.map((type) => `\`${type}\``).join(", ")})`, "the text itself", ""]];
  const label = `Body${isRequired ? "" : " (optional)"}`;
  return rows.length + types.length === 0 ? `${label}: a JSON object.` : table([label, "Type", "Meaning"], [...rows, ...types]);
}

function contentText(content) {
  switch (content.kind) {
    case "events":
      return content.events.map(({ name, type }) => `\`${name}\` (${typeText(type)})`).join(", ");
    case "text":
      return `\`${content.mediaType}\``;
    case "members":
      return content.members.map(({ name, type }) => `\`${name}\`${type.some((part) => "schema" in part) ? ` (${typeText(type)})` : ""}`).join(", ");
    default:
      return typeText(content.type);
  }
}

const errorsText = (errors) => errors.map(({ status, codes }) => `${status} ${codes.map(({ code }) => `\`${code}\``).join(", ")}`).join("; ");

function schemaText({ name, type, members }) {
  if (members === undefined) return `### ${name}\n\n${typeText(type)}`;
  const rows = members.map((member) => [`\`${member.name}\`${member.isRequired ? "" : " (optional)"}`, typeText(member.type), member.description]);
  return `### ${name}\n\n${table(["Member", "Type", "Meaning"], rows)}`;
}

const typeText = (type) =>
  type.map((part) => ("schema" in part ? `[${part.schema}](#${part.schema.toLowerCase()})` : "code" in part ? `\`${part.code}\`` : part.text)).join("");

/** Columns without any value are omitted. */
function table(headings, rows) {
  if (rows.length === 0) return "";
  const used = headings.map((_heading, index) => rows.some((cells) => cells[index] !== ""));
  const line = (cells) => `| ${cells.filter((_cell, index) => used[index]).join(" | ")} |`;
  return [line(headings), `|${"---|".repeat(used.filter(Boolean).length)}`, ...rows.map(line)].join("\n");
}
