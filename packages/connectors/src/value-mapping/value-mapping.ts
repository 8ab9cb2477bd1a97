// Looks the body, or a header, up in a value-mapping table.
import { asText, defineConnector, FlowError, type Connector } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";

const path = { table: f.string({ doc: "The table's id.", required: true }) };

const options = {
  from: f.string({ doc: "The column the key is looked up in.", default: "from" }),
  to: f.string({ doc: "The column whose value is the result.", default: "to" }),
  onMissing: f.enum(["error", "key", "null", "default"], { doc: "What a key without an entry gives; otherwise the table says." }),
  header: f.string({ doc: "The header that holds the key; otherwise the body does." }),
  resultHeader: f.string({ doc: "The header that takes the result; otherwise the body does." }),
};

type Options = Values<typeof path> & Values<typeof options>;

export const valueMapping = defineConnector({
  scheme: "value-mapping",
  title: "Value mapping",
  summary: "Replaces the body by the value a mapping table gives for it.",
  group: "transformation",
  icon: "arrow-left-right",
  since: "0.1",
  syntax: "value-mapping:table",
  workers: "any",
  path,
  options,
  headers: {},
  examples: [
    {
      title: "A country's code, with the installed table `countries`",
      yaml: 'to: "value-mapping:countries?from=name&to=code"',
      given: { body: "Italy" },
      expect: { body: "IT" },
    },
  ],
  connect: ({ lookup }): Connector<Options> => ({
    sink: ({ options: { table, from, to, onMissing, header, resultHeader } }) => ({
      send({ message }) {
        const given = header === undefined ? message.body : message.headers.get(header);
        const key = given instanceof Uint8Array ? asText(given) : given;
        if (typeof key === "object" && key !== null)
          throw new FlowError(
            "java.lang.IllegalArgumentException",
            `value-mapping table '${table}' takes a single value as key: set the body or name a header that holds it`,
            { code: "lookup-key" },
          );
        const value = lookup.find(table, from, to, key, onMissing);
        if (resultHeader === undefined) message.body = value;
        else message.headers.set(resultHeader, value);
      },
    }),
  }),
});
