export const templateNames = {
  webhook: "an HTTP endpoint that checks its input and calls a partner",
  schedule: "a poll on a timer that passes on what is new",
  files: "CSV files, row by row to an HTTP partner",
  router: "messages sent different ways by their content",
} as const;

export type TemplateName = keyof typeof templateNames;
