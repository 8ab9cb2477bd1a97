export { createSluice } from "./library/create-sluice.ts";
export { SluiceError } from "./library/sluice-error.ts";
export type { SluiceSettings } from "./library/settings.ts";
export type {
  ApiReply,
  DeployedFlow,
  DeployedRoute,
  FlowSource,
  InvokeMessage,
  InvokeReply,
  LogRecord,
  Sluice,
  SluiceHandler,
  SluiceOptions,
} from "./library/sluice.ts";
