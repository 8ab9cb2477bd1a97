// The only door for plug-ins: steps, languages, formats and connectors import from here and from @sluice/model.
export * from "./compiler.ts";
export * from "./connector.ts";
export * from "./declaration.ts";
export * from "./host.ts";
export * from "./processor.ts";
export * from "../exchange/exchange.ts";
export * from "../exchange/headers.ts";
export * from "../exchange/message.ts";
export * from "../exchange/run.ts";
export * from "../exchange/step-trail.ts";
export * from "../exchange/copy.ts";
export * from "../errors/flow-error.ts";
export * from "../errors/exception-types.ts";
export * from "../values/index.ts";
export * from "./pacing.ts";
export * from "./redelivery-fields.ts";
