export * from "./mock.ts";
export * from "./mock-assertions.ts";
export * from "./invalid-mock-error.ts";
export * from "./mock-tap.ts";
