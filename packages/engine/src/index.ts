export * from "./spi/index.ts";
