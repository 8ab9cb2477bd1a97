// The parts of a document that act around routes: interceptors, completions, and configurations that bundle them.
import { f, type EntityShape } from "@sluice/model";
import { errorHandlerFields, onExceptionFields } from "./error-entities.ts";

const about = { group: "routing", since: "0.1" } as const;

const named = {
  id: f.string({ doc: "Name of this part." }),
  description: f.string({ doc: "For readers." }),
  note: f.string({ doc: "For readers." }),
  disabled: f.boolean({ doc: "Leaves it out.", default: false }),
} as const;

export const interceptFields = {
  ...named,
  onWhen: f.expression({ doc: "Only for messages where this holds." }),
  steps: f.steps({ doc: "Steps to run before each step.", required: true }),
} as const;

export const interceptFromFields = {
  ...named,
  uri: f.uri({ doc: "Pattern of the triggers; all when it is left out." }),
  onWhen: f.expression({ doc: "Only for messages where this holds." }),
  steps: f.steps({ doc: "Steps to run when a message enters.", required: true }),
} as const;

export const interceptSendFields = {
  ...named,
  uri: f.uri({ doc: "Pattern of the endpoints.", required: true }),
  onWhen: f.expression({ doc: "Only for messages where this holds." }),
  skipSendToOriginalEndpoint: f.string({ doc: "True: the message is not sent to the endpoint itself.", default: "false" }),
  afterUri: f.uri({ doc: "An endpoint to call after the send." }),
  steps: f.steps({ doc: "Steps to run before the send.", required: true }),
} as const;

export const onCompletionFields = {
  ...named,
  onCompleteOnly: f.boolean({ doc: "Only when the exchange ended well or its failure was handled.", default: false }),
  onFailureOnly: f.boolean({ doc: "Only when the exchange failed.", default: false }),
  onWhen: f.expression({ doc: "Only for messages where this holds." }),
  useOriginalMessage: f.boolean({ doc: "The steps see the message as it entered the route.", default: false }),
  mode: f.enum(["AfterConsumer", "BeforeConsumer"], {
    doc: "After the caller has its reply, on a copy; or before, on the message itself.",
    default: "AfterConsumer",
  }),
  parallelProcessing: f.boolean({ doc: "Accepted for Camel routes; completions never hold up the caller.", default: false, group: "advanced" }),
  executorService: f.string({ doc: "Accepted for Camel routes.", group: "advanced" }),
  steps: f.steps({ doc: "What to do when the exchange is over.", default: [] }),
} as const;

const wrapped = <const F extends Readonly<Record<string, ReturnType<typeof f.string> | any>>>(name: string, fields: F) =>
  f.list(f.object({ [name]: f.object(fields, { doc: `One ${name}.`, required: true }) }, { doc: `One ${name}.`, required: true }), {
    doc: `Every ${name} of the configuration.`,
    default: [],
  });

export const routeConfigurationFields = {
  ...named,
  precondition: f.string({ doc: "The configuration counts only when this Simple predicate over placeholders holds." }),
  errorHandler: f.object(errorHandlerFields, { doc: "The error handler of the routes." }),
  onException: wrapped("onException", onExceptionFields),
  onCompletion: wrapped("onCompletion", onCompletionFields),
  intercept: wrapped("intercept", interceptFields),
  interceptFrom: wrapped("interceptFrom", interceptFromFields),
  interceptSendToEndpoint: wrapped("interceptSendToEndpoint", interceptSendFields),
} as const;

export const intercept: EntityShape = {
  ...about,
  name: "intercept",
  title: "Intercept",
  summary: "Runs steps before every step of every route.",
  beforeRoutes: true,
  options: interceptFields,
};
export const interceptFrom: EntityShape = {
  ...about,
  name: "interceptFrom",
  title: "Intercept from",
  summary: "Runs steps when a message enters a route.",
  beforeRoutes: true,
  shorthand: "uri",
  options: interceptFromFields,
};
export const interceptSendToEndpoint: EntityShape = {
  ...about,
  name: "interceptSendToEndpoint",
  title: "Intercept send to endpoint",
  summary: "Runs steps before a message is sent to a matching endpoint.",
  beforeRoutes: true,
  shorthand: "uri",
  options: interceptSendFields,
};
export const onCompletion: EntityShape = {
  ...about,
  name: "onCompletion",
  title: "On completion",
  summary: "Runs steps when an exchange is over.",
  beforeRoutes: true,
  options: onCompletionFields,
};
export const routeConfiguration: EntityShape = {
  ...about,
  name: "routeConfiguration",
  title: "Route configuration",
  summary: "Error handling, interceptors and completions for the routes that name it, or for all of this document when it has no id.",
  options: routeConfigurationFields,
};
