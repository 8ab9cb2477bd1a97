import { CompileError, defineConnector } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { lineSink } from "./line-sink.ts";
import { lineSource } from "./line-source.ts";

export const line = defineConnector({
  scheme: "line",
  title: "Lines over TCP",
  summary: "Exchanges lines of text over TCP: listens for them, or sends them.",
  group: "network",
  since: "1.0",
  syntax: "line:host:port",
  roles: ["source", "sink"],
  trigger: "outside",
  exceptions: { "line.LineException": "java.io.IOException" },
  path: {
    host: f.string({ doc: "Address to listen on, or host to connect to.", required: true }),
    port: f.integer({ doc: "Port; a source with port 0 uses a free one.", required: true, min: 0, max: 65535 }),
  },
  options: {
    reply: f.boolean({ doc: "Whether each line gets a line as its reply.", default: true }),
    timeout: f.duration({ doc: "Sink: timeout for connecting and for a reply.", default: 10_000 }),
    maxLine: f.size({ doc: "Maximum length of a line, in characters; a partner that exceeds it is disconnected.", default: 65_536 }),
  },
  headers: {
    LineRemoteAddress: f.string({ doc: "The address of the sender." }),
  },
  examples: [],
  connect: (host) => ({
    source: ({ options, uri }) => lineSource(options, uri, host),
    sink({ options, uri, trusted }) {
      // The address must not come from a message, which could then choose where the runtime connects to.
      if (!trusted) throw new CompileError("endpoint-refused", `'${uri}' came from a message: write host and port in the flow`);
      return lineSink(options, host);
    },
  }),
});

export interface LineOptions {
  readonly host: string;
  readonly port: number;
  readonly reply: boolean;
  readonly timeout: number;
  readonly maxLine: number;
}
