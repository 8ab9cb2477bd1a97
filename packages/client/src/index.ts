export * from "./api-client.ts";
export * from "./event-stream.ts";
export type { Operations } from "./operations.ts";
