// The address and the options of Knative endpoints.
import { CompileError } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";
import { httpOptions } from "../webhook/http-options.ts";

const { httpMethodRestrict: _method, matchOnUriPrefix: _prefix, ...sourceOptions } = httpOptions;
const ignoredOption = (reason: string) => f.string({ doc: `Accepted but ignored: ${reason}.`, group: "advanced" });

export const knativePath = {
  type: f.enum(["channel", "endpoint", "event"], { doc: "Type of the resource: a channel, a service or the events of a broker.", required: true }),
  typeId: f.string({ doc: "Name of the channel or service, or type of the events.", examples: ["orders"] }),
};

export const knativeOptions = {
  ...sourceOptions,
  url: f.string({ doc: "Sending: the address; by default the cluster address of the channel, broker or service.", examples: ["{{env:K_SINK}}"] }),
  namespace: f.string({ doc: "Sending without url: the namespace of the channel, broker or service.", default: "default" }),
  name: f.string({ doc: "Sending events without url: name of the broker; `default` by default.", group: "advanced" }),
  cloudEventsType: f.string({ doc: "Type of the events to send; ignored for `event` if the path contains a type.", default: "org.apache.camel.event" }),
  cloudEventsSpecVersion: f.string({ doc: "CloudEvents version of the events to send.", default: "1.0", group: "advanced" }),
  timeout: f.duration({ doc: "Sending: timeout for connecting and for the response.", default: 30_000, group: "advanced" }),
  kind: ignoredOption("the address determines what is called"),
  apiVersion: ignoredOption("the address determines what is called"),
  reply: ignoredOption("the response is always the body at the end of the route"),
  replyWithCloudEvent: ignoredOption("headers that the route sets are part of the response"),
  environment: f.unsupported("it needs a Java object; use url"),
  sinkBinding: f.unsupported("it needs a Java object; use url with the variable that the binding sets, {{env:K_SINK}}"),
  ceOverride: f.unsupported("set the headers CamelCloudEventType, CamelCloudEventSource, …"),
  filters: f.unsupported("set the filter in the trigger of the broker"),
  transportOptions: f.unsupported("it needs a Java object; use url and timeout"),
  ...sinkFields,
};

export type KnativeOptions = Values<typeof knativePath> & Values<typeof knativeOptions>;

export function missingName(type: string): CompileError {
  return new CompileError("option-missing", `'knative:${type}' needs a name`, { hint: `write it as knative:${type}/name`, option: "typeId" });
}
