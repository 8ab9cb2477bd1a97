export * from "./mock.ts";
export * from "./mock-assertions.ts";
export * from "./mock-fault.ts";
export * from "./mock-tap.ts";
