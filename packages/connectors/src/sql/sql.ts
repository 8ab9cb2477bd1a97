import { defineConnector } from "@sluice/engine/spi";
import { sqlShape } from "./sql-shape.ts";
import { sqlSink } from "./sql-sink.ts";
import { sqlSource } from "./sql-source.ts";

export const sql = defineConnector({
  ...sqlShape,
  connect: (host) => ({
    source: (endpoint, scope) => sqlSource(endpoint, scope, host),
    sink: (endpoint, scope) => sqlSink(endpoint, scope),
  }),
});
