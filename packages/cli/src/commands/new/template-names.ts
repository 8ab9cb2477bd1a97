export const templateNames = {
  webhook: "an HTTP endpoint that validates its input and calls another system",
  schedule: "a scheduled poll that forwards new items",
  files: "reads CSV files and sends each row to an HTTP endpoint",
  router: "routes messages by content",
} as const;

export const connectorText = "a package with a source, a sink and tests, loaded with SERVICE_CONNECTORS";

export const functionText = "a JavaScript function for a bean that flows reference, in the module of SERVICE_FUNCTIONS";

export type TemplateName = keyof typeof templateNames;
