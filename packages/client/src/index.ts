export * from "./api-client.ts";
export { ApiError } from "./api-error.ts";
export { EventParser, type ServerEvent } from "./event-stream.ts";
export { events, follow, type FollowOptions, type StreamState } from "./follow.ts";
export type { Operations } from "./operations.ts";
export type * from "./schemas.ts";
export { createSender, type Reply, type CallOptions, type Sender, type SenderOptions } from "./sender.ts";
