// Error handling entities of a document: declared here, compiled in compile/error-plan.ts.
import { f, type EntityShape } from "@sluice/model";
import { redeliveryFields } from "../tools/redelivery-fields.ts";

const metadata = { group: "error handling", since: "0.1" } as const;

const redelivery = f.object(redeliveryFields, { doc: "When and how many times the failed step is retried." });

const javaReference = (name: string, instead: string) => f.unsupported(`${name} refers to a Java object; ${instead}`);

export const onExceptionFields = {
  onExceptionOccurredRef: javaReference("onExceptionOccurredRef", "implement it as steps"),
  onRedeliveryRef: javaReference("onRedeliveryRef", "implement it in the step that is redelivered"),
  id: f.string({ doc: "Name of this clause." }),
  description: f.string({ doc: "Human-readable description." }),
  note: f.string({ doc: "Note for readers of the flow." }),
  disabled: f.boolean({ doc: "Disables the clause.", default: false }),
  exception: f.list(f.string({ doc: "An exception type.", required: true, names: "exception" }), {
    doc: "Exception types this clause handles.",
    required: true,
  }),
  onWhen: f.expression({ doc: "The clause applies only when this condition is true." }),
  handled: f.expression({ doc: "True marks the failure as handled: the caller receives the message as the steps leave it." }),
  continued: f.expression({ doc: "True ignores the failure: the route continues after the failed step." }),
  retryWhile: f.expression({ doc: "Retries as long as this condition is true; overrides maximumRedeliveries." }),
  redeliveryPolicy: redelivery,
  redeliveryPolicyRef: f.string({ doc: "Name of a RedeliveryPolicy under `beans`, used instead of redeliveryPolicy.", group: "advanced" }),
  useOriginalMessage: f.boolean({ doc: "The steps receive the message as it entered the route.", default: false }),
  useOriginalBody: f.boolean({ doc: "The steps receive the body as it entered the route.", default: false }),
  steps: f.steps({ doc: "Steps that handle the failure.", default: [] }),
} as const;

export const onException: EntityShape = {
  ...metadata,
  name: "onException",
  title: "On exception",
  summary: "Handles failures of steps by exception type.",
  beforeRoutes: true,
  options: onExceptionFields,
};

const handlerFields = {
  executorServiceRef: f.string({ doc: "Accepted but ignored: Sluice has no thread pools.", group: "advanced" }),
  loggerRef: f.string({ doc: "Accepted but ignored: failures are logged under the id of the route.", group: "advanced" }),
  onExceptionOccurredRef: javaReference("onExceptionOccurredRef", "implement it as steps of an onException"),
  onPrepareFailureRef: javaReference("onPrepareFailureRef", "implement it in the dead letter route"),
  onRedeliveryRef: javaReference("onRedeliveryRef", "implement it in the step that is redelivered"),
  retryWhileRef: javaReference("retryWhileRef", "use retryWhile in an onException"),
  id: f.string({ doc: "Name of this handler." }),
  redeliveryPolicy: redelivery,
  redeliveryPolicyRef: f.string({ doc: "Name of a RedeliveryPolicy under `beans`, used instead of redeliveryPolicy.", group: "advanced" }),
  level: f.string({ doc: "Accepted but ignored: set the log levels in redeliveryPolicy.", group: "advanced" }),
  logName: f.string({ doc: "Accepted but ignored: failures are logged under the id of the route.", group: "advanced" }),
  useOriginalMessage: f.boolean({ doc: "With deadLetterChannel: sends the message as it entered the route. Otherwise ignored.", default: false }),
  useOriginalBody: f.boolean({ doc: "With deadLetterChannel: sends the body as it entered the route. Otherwise ignored.", default: false }),
} as const;

export const errorHandlerFields = {
  id: f.string({ doc: "Name of this handler." }),
  defaultErrorHandler: f.object(handlerFields, { doc: "Redelivers if configured, then returns the failure to the caller." }),
  deadLetterChannel: f.object(
    {
      ...handlerFields,
      deadLetterUri: f.uri({ doc: "Endpoint for messages that could not be processed.", required: true }),
      deadLetterHandleNewException: f.boolean({ doc: "Accepted but ignored: a failing dead letter endpoint is always reported.", default: true }),
    },
    { doc: "Sends messages that cannot be processed to an endpoint.", shorthand: "deadLetterUri" },
  ),
  noErrorHandler: f.object({ id: f.string({ doc: "Name of this handler." }) }, { doc: "Returns the failure directly to the caller." }),
  jtaTransactionErrorHandler: f.unsupported("Sluice has no transaction manager; use deadLetterChannel or defaultErrorHandler"),
  springTransactionErrorHandler: f.unsupported("Sluice has no transaction manager; use deadLetterChannel or defaultErrorHandler"),
  refErrorHandler: f.object(
    { id: f.string({ doc: "Name of this handler." }), ref: f.string({ doc: "Id of an errorHandler of this document.", required: true }) },
    { doc: "Reference to a handler by name.", shorthand: "ref" },
  ),
} as const;

export const errorHandler: EntityShape = {
  ...metadata,
  name: "errorHandler",
  title: "Error handler",
  summary: "Handles failures that no onException clause matches, in every route of this document.",
  options: errorHandlerFields,
};
