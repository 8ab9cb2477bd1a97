export * from "./spi/index.ts";
export * from "./entities/index.ts";
export * from "./run/runtime.ts";
export * from "./run/create-runtime.ts";
export * from "./mocks/index.ts";
