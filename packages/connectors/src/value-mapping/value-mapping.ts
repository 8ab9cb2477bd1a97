// Looks up the body or a header in a value-mapping table.
import { defineConnector, FlowError, type Connector } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { f, type Values } from "@sluice/model";

const path = { table: f.string({ doc: "Id of the table.", required: true, names: "mapping-table" }) };

const options = {
  from: f.string({ doc: "Column that contains the key.", default: "from" }),
  to: f.string({ doc: "Column that contains the result.", default: "to" }),
  onMissing: f.enum(["error", "key", "null", "default"], { doc: "Result for a key without an entry; by default the setting of the table." }),
  header: f.string({ doc: "Header with the key; the body by default." }),
  resultHeader: f.string({ doc: "Header for the result; the body by default." }),
};

type Options = Values<typeof path> & Values<typeof options>;

export const valueMapping = defineConnector({
  scheme: "value-mapping",
  title: "Value mapping",
  summary: "Replaces the body with its value in a mapping table.",
  guarantees: "The table is in memory, so lookups do not wait. A new version of the table applies from the next message on.",
  group: "transformation",
  icon: "arrow-left-right",
  paletteGroup: "data",
  card: { title: "Look up value", subtitle: "{table}" },
  since: "0.1",
  keywords: ["lookup", "map", "convert", "table"],
  syntax: "value-mapping:table",
  roles: ["sink"],
  local: true,
  workers: "any",
  path,
  options,
  headers: {},
  examples: [
    {
      title: "The code of a country, with the installed table `countries`",
      yaml: 'to: "value-mapping:countries?from=name&to=code"',
      given: { body: "Italy" },
      expect: { body: "IT" },
    },
  ],
  connect: ({ lookup }): Connector<Options> => ({
    sink: ({ options: { table, from, to, onMissing, header, resultHeader } }) => ({
      send({ message }) {
        const input = header === undefined ? message.body : message.headers.get(header);
        const key = input instanceof Uint8Array ? asText(input) : input;
        if (typeof key === "object" && key !== null)
          throw new FlowError(
            "java.lang.IllegalArgumentException",
            `value-mapping table '${table}' needs a single value as its key: set the body to a single value, or use the option 'header'`,
            { code: "lookup-key" },
          );
        const value = lookup.find(table, from, to, key, onMissing);
        if (resultHeader === undefined) message.body = value;
        else message.headers.set(resultHeader, value);
      },
    }),
  }),
});
