export * from "./flow/diagnostic.ts";
export * from "./flow/flow-document.ts";
export * from "./flow/span.ts";
export * from "./flow/tree.ts";
export * from "./schema/duration.ts";
export * from "./schema/field.ts";
export * from "./schema/shape.ts";
export * from "./schema/size.ts";
