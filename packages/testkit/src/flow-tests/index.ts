export * from "./flow-test-file.ts";
export * from "./run-flow-tests.ts";
export * from "./runtime-transport.ts";
