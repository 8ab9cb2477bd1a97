import type { EntityShape } from "@sluice/model";
import { errorHandler, onException } from "./error-entities.ts";
import { intercept, interceptFrom, interceptSendToEndpoint, onCompletion, routeConfiguration } from "./route-entities.ts";
import { beans, dataFormats, routeTemplate, templatedRoute } from "./template-entities.ts";

/** The top-level entities that the engine implements. */
export const entities: readonly EntityShape[] = [
  onException,
  errorHandler,
  intercept,
  interceptFrom,
  interceptSendToEndpoint,
  onCompletion,
  routeConfiguration,
  routeTemplate,
  templatedRoute,
  beans,
  dataFormats,
];
