// Replaces the body by what a value-mapping table says it is in another system.
import { asText, defineConnector, type Connector } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";

const path = { table: f.string({ doc: "The table's id.", required: true }) };

const options = {
  from: f.string({ doc: "The column the body is looked up in.", default: "from" }),
  to: f.string({ doc: "The column whose value becomes the body.", default: "to" }),
};

type Options = Values<typeof path> & Values<typeof options>;

export const valueMapping = defineConnector({
  scheme: "value-mapping",
  title: "Value mapping",
  summary: "Replaces the body by the value a mapping table gives for it.",
  group: "transformation",
  since: "0.1",
  syntax: "value-mapping:table",
  path,
  options,
  headers: {},
  examples: [],
  connect: ({ lookup }): Connector<Options> => ({
    sink: ({ options: { table, from, to } }) => ({
      send({ message }) {
        const key = message.body instanceof Uint8Array ? asText(message.body) : message.body;
        message.body = lookup.find(table, from, to, key);
      },
    }),
  }),
});
