export * from "./affected-tests.ts";
export * from "./flow-test-file.ts";
export { flowTestSchema } from "./flow-test-schema.ts";
export type { FlowTest, FlowTestFile, Then, When } from "./flow-test-shape.ts";
export * from "./install-flow.ts";
export * from "./run-flow-tests.ts";
export * from "./runtime-transport.ts";
export type { RunView, StepView } from "./traces.ts";
