// The parts of a document that say what happens on failure: declared here once, compiled in compile/error-plan.ts.
import { f, type EntityShape } from "@sluice/model";
import { redeliveryFields } from "../spi/redelivery-fields.ts";

const about = { group: "error handling", since: "0.1" } as const;

const redelivery = f.object(redeliveryFields, { doc: "When and how often the failed step is tried again." });

export const onExceptionFields = {
  id: f.string({ doc: "Name of this clause." }),
  description: f.string({ doc: "For readers." }),
  note: f.string({ doc: "For readers." }),
  disabled: f.boolean({ doc: "Leaves the clause out.", default: false }),
  exception: f.list(f.string({ doc: "An exception type.", required: true }), { doc: "The exception types this clause is for.", required: true }),
  onWhen: f.expression({ doc: "The clause is only for failures where this holds." }),
  handled: f.expression({ doc: "True: the failure is dealt with, the caller gets the message as the steps leave it." }),
  continued: f.expression({ doc: "True: the failure is forgotten and the route goes on after the failed step." }),
  retryWhile: f.expression({ doc: "Tries again as long as this holds; overrules maximumRedeliveries." }),
  redeliveryPolicy: redelivery,
  redeliveryPolicyRef: f.string({ doc: "The name of a RedeliveryPolicy under `beans`, in place of redeliveryPolicy.", group: "advanced" }),
  useOriginalMessage: f.boolean({ doc: "The steps see the message as it entered the route.", default: false }),
  useOriginalBody: f.boolean({ doc: "The steps see the body as it entered the route.", default: false }),
  steps: f.steps({ doc: "What to do with the failure.", default: [] }),
} as const;

export const onException: EntityShape = {
  ...about,
  name: "onException",
  title: "On exception",
  summary: "Says what happens when a step fails with one of these exceptions.",
  beforeRoutes: true,
  options: onExceptionFields,
};

const handlerFields = {
  id: f.string({ doc: "Name of this handler." }),
  redeliveryPolicy: redelivery,
  redeliveryPolicyRef: f.string({ doc: "The name of a RedeliveryPolicy under `beans`, in place of redeliveryPolicy.", group: "advanced" }),
  level: f.string({ doc: "Level of the log record of a failure.", group: "advanced" }),
  logName: f.string({ doc: "Logger of the log record of a failure.", group: "advanced" }),
  useOriginalMessage: f.boolean({ doc: "Gives on the message as it entered the route.", default: false }),
  useOriginalBody: f.boolean({ doc: "Gives on the body as it entered the route.", default: false }),
} as const;

export const errorHandlerFields = {
  id: f.string({ doc: "Name of this handler." }),
  defaultErrorHandler: f.object(handlerFields, { doc: "Redelivers if told to, then hands the failure to the caller." }),
  deadLetterChannel: f.object(
    {
      ...handlerFields,
      deadLetterUri: f.uri({ doc: "Where messages go that could not be processed.", required: true }),
      deadLetterHandleNewException: f.boolean({ doc: "Accepted for Camel routes; a dead letter endpoint that fails is always visible here.", default: true }),
    },
    { doc: "Sends what cannot be processed to an endpoint.", shorthand: "deadLetterUri" },
  ),
  noErrorHandler: f.object({ id: f.string({ doc: "Name of this handler." }) }, { doc: "Hands the failure straight to the caller." }),
  refErrorHandler: f.object(
    { id: f.string({ doc: "Name of this handler." }), ref: f.string({ doc: "Name of a handler defined elsewhere.", required: true }) },
    { doc: "A handler by name.", shorthand: "ref" },
  ),
} as const;

export const errorHandler: EntityShape = {
  ...about,
  name: "errorHandler",
  title: "Error handler",
  summary: "What happens to a failure that no clause is for, in every route of this document.",
  options: errorHandlerFields,
};
