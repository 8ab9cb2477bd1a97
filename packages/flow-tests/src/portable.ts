// The exports for web pages, which supply their own transport: the HTTP transport needs Node.
export * from "./affected-tests.ts";
export * from "./flow-test-file.ts";
export type { FlowTest, FlowTestFile, Then, When } from "./flow-test-shape.ts";
export * from "./run-flow-tests.ts";
export type { FollowedLog, LoggedLine, RuntimeTransport, TransportReply } from "./runtime-transport.ts";
export type { RunView, StepView } from "./traces.ts";
