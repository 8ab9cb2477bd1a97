// Every generated file of the reference, by its path below docs/reference.
import { cliReference } from "../../packages/cli/dist/command/reference-page.js";
import { commands } from "../../packages/cli/dist/commands/index.js";
import { webhookErrors } from "@sluice/connectors";
import { createCatalog, describeCatalog, documentKinds, errorCodes, schemaOfKind, settingsReference } from "@sluice/server";
import { apiPage } from "./api-page.mjs";
import { beansPage, connectionPage, connectorPage, entityPage, formatPage, indexPage, languagePage, page, stepPage } from "./declaration-page.mjs";
import { documentPage } from "./document-page.mjs";
import { errorPage } from "./error-page.mjs";
import { openApi } from "./open-api.mjs";
import { optionTable } from "./option-table.mjs";
import { scanErrorCodes } from "./scan-error-codes.mjs";

const kinds = [
  { folder: "steps", title: "Steps", text: "What a route can do with a message.", write: stepPage },
  {
    folder: "connectors",
    title: "Connectors",
    text: "Connectors receive messages from other systems and send messages to them. The scheme of an endpoint selects the connector.",
    write: connectorPage,
  },
  { folder: "languages", title: "Languages", text: "How expressions and conditions are written.", write: languagePage },
  { folder: "formats", title: "Formats", text: "How `marshal` and `unmarshal` write and read bodies.", write: formatPage },
  { folder: "entities", title: "Top-level elements", text: "Top-level elements of a flow in addition to routes.", write: entityPage },
];

const connectionsText =
  "Types of connections to other systems, with the allowed `values` of each `type` ([how to define a connection](../../how-to/connections.md)).";

/** The generated pages by path. `root` is the folder of the repository, whose sources are scanned for error codes. */
export async function referencePages(root) {
  const catalog = createCatalog();
  await catalog.index.loadAll();
  const view = describeCatalog(catalog);
  const pages = new Map();
  for (const { folder, title, text, write } of kinds) {
    const entries = view[folder]
      .map((declaration) => ({ ...declaration, name: declaration.name ?? declaration.scheme }))
      .toSorted((left, right) => (left.name.toLowerCase() < right.name.toLowerCase() ? -1 : 1));
    for (const entry of entries) pages.set(`${folder}/${entry.name}.md`, write(entry, view.connections));
    pages.set(`${folder}/index.md`, indexPage(title, text, entries));
  }
  const types = view.connections.map((type) => ({ ...type, name: type.type })).toSorted((left, right) => (left.name < right.name ? -1 : 1));
  for (const type of types) pages.set(`connections/${type.name}.md`, connectionPage(type));
  pages.set("connections/index.md", indexPage("Connections", connectionsText, types));
  pages.set("beans.md", beansPage(view.beans));
  pages.set("routes.md", routePage(view));
  pages.set("unsupported.md", refusedPage(view.refused));
  pages.set("settings.md", settingsReference());
  pages.set("cli.md", cliReference(commands));
  pages.set("api.md", apiPage(await openApi()));
  pages.set("errors.md", errorPage(scanErrorCodes(root, ["model", "engine", "standard", "connectors", "server"]), errorCodes, webhookErrors));
  for (const [path, text] of await documentPages(types)) pages.set(path, text);
  pages.set("index.md", overview());
  return pages;
}

/** The how-to of each kind. The page of flows is the one of routes: steps, connectors and the other parts have their own. */
const guides = {
  test: "[test a flow with mocks](../../how-to/test-flows.md)",
  connection: "[define a connection](../../how-to/connections.md)",
  policy: "[protect a webhook](../../how-to/protect-webhook.md)",
  "message-mapping": "[map one message to another](../../how-to/map-messages.md)",
  "value-mapping": "[translate values between systems](../../how-to/translate-values.md)",
};

/** The schema of every kind of document, and a page for all but flows. */
async function documentPages(connectionTypes) {
  const pages = [];
  const rows = [];
  for (const [name, kind] of Object.entries(documentKinds)) {
    const schema = await schemaOfKind(name);
    const isFlow = name === "flow";
    const file = `${isFlow ? "" : "documents/"}${name}.schema.json`;
    pages.push([file, `${JSON.stringify(schema, undefined, 1)}\n`]);
    rows.push(
      `| [${kind.title}](${isFlow ? "../routes.md" : `${name}.md`}) | ${schema.description} | [${name}.schema.json](${isFlow ? "../" : ""}${name}.schema.json) |`,
    );
    const links = Object.fromEntries(
      name === "connection" ? connectionTypes.map(({ type }) => [`values.${type}`, { name: type, path: `../connections/${type}.md` }]) : [],
    );
    if (!isFlow) pages.push([`documents/${name}.md`, documentPage(name, kind, schema, { guide: guides[name], links })]);
  }
  const table = ["| Kind | Content | JSON Schema |", "|---|---|---|", ...rows].join("\n");
  return [
    ...pages,
    [
      "documents/index.md",
      page(
        "# Documents",
        "The kinds of files and API bodies that you write.",
        table,
        "[Set up your editor](../../how-to/editor.md) to complete and check them.",
      ),
    ],
  ];
}

function routePage(view) {
  return page(
    "# Routes",
    "A flow is a list; each item is a `route`, a bare `from`, or a [top-level element](entities/index.md).",
    `## route\n\n${optionTable(view.route)}`,
    `## from\n\n${optionTable(view.from)}`,
    `## Every step\n\n${optionTable(view.common)}`,
  );
}

function refusedPage(refused) {
  const rows = Object.entries(refused)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([word, sentence]) => `| \`${word}\` | ${sentence.replaceAll("|", "\\|").replaceAll("<", "&lt;")} |`);
  return page(
    "# Unsupported keywords",
    "Keywords and endpoint schemes that a deployment rejects, each with an alternative. Most are from Camel, including earlier versions.",
    ["| Keyword | Reason and alternative |", "|---|---|", ...rows].join("\n"),
  );
}

function overview() {
  const lists = kinds.map(({ folder, title, text }) => `- [${title}](${folder}/index.md): ${text}`);
  const others = [
    "- [Routes](routes.md): The options of `route`, `from` and every step.",
    "- [Documents](documents/index.md): Test files, connections, access policies and mappings, with the JSON Schema of each.",
    "- [Connections](connections/index.md): Types of connections to other systems, with their fields.",
    "- [Beans](beans.md): Objects that options reference by name.",
    "- [Unsupported keywords](unsupported.md): Keywords and endpoint schemes that a deployment rejects, with alternatives.",
    "- [Differences from Camel](camel-differences.md): What behaves differently, and why.",
    "- [Command line](cli.md): Every command with its flags, examples and exit codes.",
    "- [Settings](settings.md): Variables and flags of the runtime.",
    "- [Management API](api.md): Every endpoint.",
    "- [Error codes](errors.md): Error codes with their messages.",
    "- [flow.schema.json](flow.schema.json): The JSON Schema of the flow language, for editors.",
  ];
  return page("# Reference", [...lists, ...others].join("\n"));
}
