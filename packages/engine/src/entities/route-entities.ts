// Entities of a document that wrap routes: interceptors, completions, and configurations that bundle them.
import { f, type EntityShape } from "@sluice/model";
import { errorHandlerFields, onExceptionFields } from "./error-entities.ts";

const metadata = { group: "routing", since: "0.1" } as const;

const commonFields = {
  id: f.string({ doc: "Name of this element." }),
  description: f.string({ doc: "Human-readable description." }),
  note: f.string({ doc: "Note for readers of the flow." }),
  disabled: f.boolean({ doc: "Disables this element.", default: false }),
} as const;

export const interceptFields = {
  ...commonFields,
  onWhen: f.expression({ doc: "Applies only to messages for which this condition is true." }),
  steps: f.steps({ doc: "Steps to run before each step.", required: true }),
} as const;

export const interceptFromFields = {
  ...commonFields,
  uri: f.uri({ doc: "Pattern of trigger URIs; default: all." }),
  onWhen: f.expression({ doc: "Applies only to messages for which this condition is true." }),
  steps: f.steps({ doc: "Steps to run when a message enters.", required: true }),
} as const;

export const interceptSendFields = {
  ...commonFields,
  uri: f.uri({ doc: "Pattern of endpoint URIs.", required: true }),
  onWhen: f.expression({ doc: "Applies only to messages for which this condition is true." }),
  skipSendToOriginalEndpoint: f.string({ doc: "True skips the send to the endpoint itself.", default: "false" }),
  afterUri: f.uri({ doc: "An endpoint to call after the send." }),
  steps: f.steps({ doc: "Steps to run before the send.", required: true }),
} as const;

export const onCompletionFields = {
  ...commonFields,
  onCompleteOnly: f.boolean({ doc: "Runs only when the exchange succeeded or its failure was handled.", default: false }),
  onFailureOnly: f.boolean({ doc: "Runs only when the exchange failed.", default: false }),
  onWhen: f.expression({ doc: "Applies only to messages for which this condition is true." }),
  useOriginalMessage: f.boolean({ doc: "The steps receive the message as it entered the route.", default: false }),
  mode: f.enum(["AfterConsumer", "BeforeConsumer"], {
    doc: "AfterConsumer runs the steps on a copy after the reply is sent, BeforeConsumer on the message itself before the reply is sent.",
    default: "AfterConsumer",
  }),
  parallelProcessing: f.boolean({ doc: "Accepted but ignored: AfterConsumer steps always run in the background.", default: false, group: "advanced" }),
  executorService: f.string({ doc: "Accepted but ignored: Sluice has no thread pools.", group: "advanced" }),
  steps: f.steps({ doc: "Steps to run when the exchange has completed.", default: [] }),
} as const;

const listOf = <const F extends Readonly<Record<string, any>>>(name: string, fields: F) =>
  f.list(f.object({ [name]: f.object(fields, { doc: `One ${name}.`, required: true }) }, { doc: `One ${name}.`, required: true }), {
    doc: `Every ${name} of the configuration.`,
    default: [],
  });

export const routeConfigurationFields = {
  ...commonFields,
  precondition: f.string({ doc: "The configuration applies only when this Simple predicate over placeholders is true." }),
  errorHandler: f.object(errorHandlerFields, { doc: "The error handler of the routes." }),
  onException: listOf("onException", onExceptionFields),
  onCompletion: listOf("onCompletion", onCompletionFields),
  intercept: listOf("intercept", interceptFields),
  interceptFrom: listOf("interceptFrom", interceptFromFields),
  interceptSendToEndpoint: listOf("interceptSendToEndpoint", interceptSendFields),
} as const;

export const intercept: EntityShape = {
  ...metadata,
  name: "intercept",
  title: "Intercept",
  summary: "Runs steps before every step of every route.",
  beforeRoutes: true,
  options: interceptFields,
};
export const interceptFrom: EntityShape = {
  ...metadata,
  name: "interceptFrom",
  title: "Intercept from",
  summary: "Runs steps when a message enters a route.",
  beforeRoutes: true,
  shorthand: "uri",
  options: interceptFromFields,
};
export const interceptSendToEndpoint: EntityShape = {
  ...metadata,
  name: "interceptSendToEndpoint",
  title: "Intercept send to endpoint",
  summary: "Runs steps before a message is sent to a matching endpoint.",
  beforeRoutes: true,
  shorthand: "uri",
  options: interceptSendFields,
};
export const onCompletion: EntityShape = {
  ...metadata,
  name: "onCompletion",
  title: "On completion",
  summary: "Runs steps when an exchange has completed.",
  beforeRoutes: true,
  options: onCompletionFields,
};
export const routeConfiguration: EntityShape = {
  ...metadata,
  name: "routeConfiguration",
  title: "Route configuration",
  summary: "Error handling, interceptors and completions for the routes that reference it, or for all routes of this document if it has no id.",
  options: routeConfigurationFields,
};
