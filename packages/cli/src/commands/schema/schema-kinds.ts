import type { DocumentKindName } from "@sluice/server/check";

/** Listed here because the declaration of a command does not load the runtime. */
export const schemaKinds = {
  flow: "flows",
  test: "test files",
  connection: "connections",
  policy: "access policies",
  "message-mapping": "message mappings",
  "value-mapping": "value mappings",
} as const satisfies Readonly<Record<DocumentKindName, string>>;
