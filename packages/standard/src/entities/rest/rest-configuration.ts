import type { EntityDeclaration } from "@sluice/engine/spi";
import { f } from "@sluice/model";

const accepted = (doc = "Accepted for Camel routes.") => f.string({ doc, group: "advanced" });

export const restConfigurationFields = {
  contextPath: f.string({ doc: "Path all rest services of the document stand below." }),
  component: accepted("The runtime serves rest itself, whatever is named here."),
  consumerComponent: accepted(),
  producerComponent: accepted(),
  producerApiDoc: accepted(),
  scheme: accepted("The runtime's own scheme is used."),
  host: accepted("The runtime's own host is used."),
  port: accepted("The runtime's own port is used."),
  apiHost: accepted(),
  apiContextPath: accepted("The API description is at /_api/openapi.json."),
  apiContextRouteId: accepted(),
  apiVendorExtension: accepted(),
  apiComponent: accepted(),
  hostNameResolver: accepted(),
  bindingMode: accepted("Bodies are converted on demand."),
  bindingPackageScan: accepted(),
  skipBindingOnErrorCode: accepted(),
  clientRequestValidation: accepted(),
  clientResponseValidation: accepted(),
  enableCORS: accepted("Use the flow's access policy for CORS."),
  enableNoContentResponse: accepted(),
  inlineRoutes: accepted(),
  jsonDataFormat: accepted(),
  xmlDataFormat: accepted(),
  useXForwardHeaders: accepted(),
} as const;

export const restConfiguration: EntityDeclaration = {
  name: "restConfiguration",
  title: "Rest configuration",
  summary: "What all rest services of the document have in common.",
  group: "routing",
  since: "0.1",
  options: restConfigurationFields,
};
