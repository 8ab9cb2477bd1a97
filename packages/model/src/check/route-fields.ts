import { f } from "../schema/field.ts";
import type { Fields } from "../schema/field.ts";
import type { Vocabulary } from "../schema/shape.ts";

const typed = (doc: string) =>
  f.object(
    {
      urn: f.string({ doc: "The data type's name.", required: true }),
      validate: f.boolean({ doc: "Checks the message." }),
      description: f.string({ doc: "What it is." }),
    },
    { doc, shorthand: "urn" },
  );

const ownFields = {
  id: f.string({ doc: "The route's name, unique in the runtime; the flow's id when left out." }),
  description: f.string({ doc: "What the route does; the first route's is the flow's name in the designer." }),
  note: f.string({ doc: "A remark for other authors." }),
  group: f.string({ doc: "The category the route belongs to." }),
  nodePrefixId: f.string({ doc: "Put before the ids of the route's steps." }),
  precondition: f.string({ doc: "A Simple predicate over placeholders; when it is false the route is left out." }),
  autoStartup: f.boolean({ doc: "False leaves the route stopped until somebody starts it.", default: true }),
  startupOrder: f.integer({ doc: "Routes start in this order; those without a number start last." }),
  routeConfigurationId: f.string({ doc: "Names or patterns of the route configurations to use, separated by commas." }),
  routePolicy: f.string({ doc: "Names of route policies, separated by commas." }),
  streamCache: f.boolean({ doc: "Keeps streamed bodies readable more than once." }),
  trace: f.boolean({ doc: "Writes a log line for every step." }),
  logMask: f.boolean({ doc: "Masks secrets in log lines." }),
  messageHistory: f.boolean({ doc: "Records the steps a message took." }),
  errorHandlerRef: f.string({ doc: "The name of an error handler bean." }),
  shutdownRoute: f.enum(["Default", "Defer"], { doc: "Defer keeps the route up until the others have stopped." }),
  shutdownRunningTask: f.enum(["CompleteCurrentTaskOnly", "CompleteAllTasks"], { doc: "What of a batch is finished on stop." }),
  inputType: typed("The data type the route expects."),
  outputType: typed("The data type the route replies with."),
} satisfies Fields;

const madeFields = new WeakMap<Vocabulary, Fields>();

/** The options of `route`. Its error handler takes what the entity of that name declares. */
export function routeFields(vocabulary: Vocabulary): Fields {
  const made = madeFields.get(vocabulary);
  if (made !== undefined) return made;
  const handler = vocabulary.entities.get("errorHandler");
  const fields =
    handler === undefined ? ownFields : { ...ownFields, errorHandler: f.object(handler.options, { doc: "How failures of this route's steps are handled." }) };
  madeFields.set(vocabulary, fields);
  return fields;
}

/** The options of `from`. */
export const fromFields = {
  uri: f.uri({ doc: "Where messages come from.", required: true }),
  parameters: f.parameters({ doc: "Options of the endpoint, instead of those behind '?' in the URI." }),
  id: f.string({ doc: "The name of this trigger in traces." }),
  description: f.string({ doc: "What the trigger is." }),
  note: f.string({ doc: "A remark for other authors." }),
  variableReceive: f.string({ doc: "Puts the incoming body into this variable and leaves the body empty." }),
  steps: f.steps({ doc: "What happens with each message, in order.", required: true }),
} satisfies Fields;
