// The reference page of a kind of document, from its JSON Schema.
import { pageAnchors } from "../site/anchor.mjs";
import { page } from "./declaration-page.mjs";
import { escapeTags } from "./option-table.mjs";

const code = (text) => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``);
const cell = (text) => escapeTags(text.replaceAll("|", "\\|"));
const either = (texts) => [...new Set(texts)].join(" or ");

/** `links` are pages by definition, for definitions that have their own page; `guide` is the how-to of the kind. */
export function documentPage(name, { title, files }, schema, { guide, links = {} }) {
  const definitions = schema.$defs;
  const sections = Object.entries(definitions).filter(([key]) => links[key] === undefined);
  const anchorOf = pageAnchors();
  anchorOf(title);
  const writer = new SchemaPage(definitions, links, new Map(sections.map(([key, section]) => [key, anchorOf(section.title)])));
  return page(
    `# ${title}`,
    `${schema.description} Files: ${files.map(code).join(", ")}. Guide: ${guide}.`,
    `The JSON Schema is [${name}.schema.json](${name}.schema.json), and \`sluice schema ${name}\` prints it ([set up your editor](../../how-to/editor.md)).`,
    writer.body(schema),
    Object.keys(links).length === 0
      ? ""
      : `By type: ${Object.values(links)
          .map(({ name: text, path }) => `[${text}](${path})`)
          .join(", ")}.`,
    ...sections.map(([, section]) =>
      [`## ${section.title}`, section.description === undefined ? "" : cell(section.description), writer.body(section)]
        .filter((text) => text !== "")
        .join("\n\n"),
    ),
  );
}

class SchemaPage {
  #definitions;
  #links;
  #anchors;

  constructor(definitions, links, anchors) {
    this.#definitions = definitions;
    this.#links = links;
    this.#anchors = anchors;
  }

  body(schema) {
    if (schema.properties === undefined) return `Kind: ${this.#kind(schema)}.`;
    const rows = this.#rows(schema, "");
    return [["| Member | Kind | Default | Meaning |", "|---|---|---|---|", ...rows].join("\n"), conditions(schema)].filter((text) => text !== "").join("\n\n");
  }

  #rows({ properties, required = [] }, prefix) {
    return Object.entries(properties).flatMap(([name, schema]) => {
      const path = `${prefix}${name}`;
      const mark = required.includes(name) ? " (**required**)" : "";
      const value = schema.default === undefined || (typeof schema.default === "object" && schema.default !== null) ? "" : code(JSON.stringify(schema.default));
      const meaning = [schema.description ?? "", conditions(nested(schema) ?? {})].filter((text) => text !== "").join(" ");
      const row = `| ${code(path)}${mark} | ${this.#kind(schema)} | ${value} | ${cell(meaning)} |`;
      const inner = nested(schema);
      return [row, ...(inner === undefined ? [] : this.#rows(inner, `${path}${isList(schema) ? "[]" : ""}.`))];
    });
  }

  #kind(schema) {
    if (schema.$ref !== undefined) return this.#link(schema.$ref.split("/").at(-1));
    if (schema.const !== undefined) return code(String(schema.const));
    if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(", ");
    if (schema.allOf !== undefined && schema.type === undefined) return this.#kind(schema.allOf[0]);
    const choices = schema.type === undefined ? (schema.anyOf ?? schema.oneOf) : undefined;
    if (choices !== undefined) return either(choices.filter(({ $ref }) => $ref !== "#/$defs/placeholder").map((choice) => this.#kind(choice)));
    if (schema.type === "array") return schema.items === undefined ? "list" : `list of ${this.#item(schema.items)}`;
    if (schema.type === "object") return hasEntries(schema) ? `object of ${this.#item(schema.additionalProperties)} by name` : "object";
    return schema.type === undefined ? "any" : `${[schema.type].flat().join(" or ")}${bounds(schema)}`;
  }

  #item(schema) {
    const kind = this.#kind(schema);
    return kind.includes(" or ") ? `(${kind})` : kind;
  }

  #link(key) {
    const { title } = this.#definitions[key];
    return `[${title}](${this.#links[key]?.path ?? `#${this.#anchors.get(key)}`})`;
  }
}

const hasEntries = ({ additionalProperties: entries }) => typeof entries === "object" && Object.keys(entries).length > 0;

const variants = (schema) => (schema.type === undefined ? (schema.anyOf ?? schema.oneOf ?? [schema]) : [schema]);
const isList = (schema) => variants(schema).some(({ type }) => type === "array");

/** The object with members that a property contains, directly or as the items of a list. */
function nested(schema) {
  const objects = variants(schema).map((variant) => (variant.type === "array" ? (variant.items ?? {}) : variant));
  return objects.find(({ properties, allOf }) => properties !== undefined && allOf === undefined);
}

const bounds = ({ minimum, maximum }) =>
  minimum !== undefined && maximum !== undefined
    ? ` ${minimum} to ${maximum}`
    : minimum !== undefined
      ? ` ≥ ${minimum}`
      : maximum !== undefined
        ? ` ≤ ${maximum}`
        : "";

/** Which members exclude or need each other. */
function conditions({ oneOf, anyOf, dependentRequired = {} }) {
  const names = (choices) =>
    (choices ?? []).flatMap(({ required, ...others }) => (required?.length === 1 && Object.keys(others).length === 0 ? required : [undefined]));
  const sentence = (start, members) => (members.length === 0 || members.includes(undefined) ? [] : [`${start} ${members.map(code).join(", ")}.`]);
  return [
    ...sentence("Exactly one of", names(oneOf)),
    ...sentence("At least one of", names(anyOf)),
    ...groups(dependentRequired).map(([needed, members]) => `Only with ${code(needed)}: ${members.map(code).join(", ")}.`),
  ].join(" ");
}

function groups(dependentRequired) {
  const needs = new Map();
  for (const [member, [needed]] of Object.entries(dependentRequired)) needs.set(needed, [...(needs.get(needed) ?? []), member]);
  return [...needs];
}
