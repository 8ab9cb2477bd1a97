export * from "./fake-host.ts";
export * from "./fake-inlet.ts";
export * from "./language-under-test.ts";
export * from "./catalog-of.ts";
export * from "./flow.ts";
export * from "./recording-connectors.ts";
export * from "./raw-client.ts";
export * from "./options-of.ts";
