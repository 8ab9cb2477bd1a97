export * from "./spi/index.ts";
export * from "./run/runtime.ts";
