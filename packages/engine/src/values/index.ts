export * from "./text.ts";
export * from "./truth.ts";
