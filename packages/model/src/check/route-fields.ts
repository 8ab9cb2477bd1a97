import { f } from "../schema/field.ts";
import type { Fields } from "../schema/field.ts";
import type { Vocabulary } from "../schema/shape.ts";

const dataTypeField = (doc: string) =>
  f.object(
    {
      urn: f.string({ doc: "Name of the data type.", required: true }),
      validate: f.boolean({ doc: "Accepted but ignored: validate messages with the step validate." }),
      description: f.string({ doc: "Human-readable description." }),
      id: f.string({ doc: "Id, used by tools." }),
      note: f.string({ doc: "Note for readers of the flow." }),
    },
    { doc, shorthand: "urn" },
  );

const policyCaution = (): string =>
  "route policies are Java objects and have no effect here; limit load with throttle, schedule with cron, and start or stop routes through the management API";

const errorHandlerRefCaution = (): string =>
  "errorHandlerRef names a Java bean and has no effect: failures are handled as if it were absent; describe the error handler with errorHandler";

const ownFields = {
  id: f.string({ doc: "Id of the route, unique in the runtime; by default the id of the flow." }),
  description: f.string({ doc: "Description of the route; that of the first route is the flow's name in the designer." }),
  note: f.string({ doc: "Note for readers of the flow." }),
  group: f.string({ doc: "Category of the route, shown in the designer." }),
  nodePrefixId: f.string({ doc: "Prefix of the step ids." }),
  precondition: f.string({ doc: "A Simple predicate over placeholders; when it is false the route is skipped." }),
  autoStartup: f.boolean({ doc: "Whether the route starts with its flow; if false, start it through the management API.", default: true }),
  startupOrder: f.integer({ doc: "Position in the start order of the routes; routes without a number start last." }),
  routeConfigurationId: f.string({ doc: "Names or patterns of the route configurations to use, separated by commas." }),
  routePolicy: f.string({ doc: "Accepted but ignored: route policies are Java objects.", caution: policyCaution }),
  routePolicyRef: f.string({ doc: "Accepted but ignored: route policies are Java objects.", caution: policyCaution }),
  streamCache: f.boolean({ doc: "Accepted but ignored." }),
  trace: f.boolean({ doc: "Accepted but ignored: follow the trace stream instead." }),
  logMask: f.boolean({ doc: "Accepted but ignored." }),
  messageHistory: f.boolean({ doc: "Accepted but ignored: the steps of every run are recorded." }),
  errorHandlerRef: f.string({ doc: "Accepted but ignored: use errorHandler.", caution: errorHandlerRefCaution }),
  shutdownRoute: f.enum(["Default", "Defer"], { doc: "Accepted but ignored." }),
  shutdownRunningTask: f.enum(["CompleteCurrentTaskOnly", "CompleteAllTasks"], { doc: "Accepted but ignored." }),
  inputType: dataTypeField("Data type of the request, for the API description."),
  outputType: dataTypeField("Data type of the response, for the API description."),
} satisfies Fields;

const fieldsByVocabulary = new WeakMap<Vocabulary, Fields>();

/** The options of `route`. Its error handler accepts the options of the entity of that name. */
export function routeFields(vocabulary: Vocabulary): Fields {
  const cached = fieldsByVocabulary.get(vocabulary);
  if (cached !== undefined) return cached;
  const handler = vocabulary.entities.get("errorHandler");
  const fields =
    handler === undefined ? ownFields : { ...ownFields, errorHandler: f.object(handler.options, { doc: "How failures of this route's steps are handled." }) };
  fieldsByVocabulary.set(vocabulary, fields);
  return fields;
}

/** The options of `from`. */
export const fromFields = {
  uri: f.uri({ doc: "Endpoint that messages come from.", required: true }),
  parameters: f.parameters({ doc: "Options of the endpoint, instead of those after '?' in the URI." }),
  id: f.string({ doc: "Id of the trigger, for tools." }),
  description: f.string({ doc: "Description of the trigger." }),
  note: f.string({ doc: "Note for readers of the flow." }),
  variableReceive: f.string({ doc: "Stores the incoming body in this variable and leaves the body empty." }),
  steps: f.steps({ doc: "Steps to run for each message, in order.", required: true }),
} satisfies Fields;
