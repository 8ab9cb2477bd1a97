// The options of a REST service and its operations.
import { f } from "@sluice/model";
import { openApi, securityDefinitions } from "./rest-description.ts";

const text = (doc: string) => f.string({ doc, group: "advanced" });

export const bindingModeDoc =
  "`json` responds with 400 to a body that is not valid JSON, except for XML and form content types; `auto` and `json_xml` check only JSON content types. Bodies are converted on demand.";
const requestValidationDoc =
  "If true, responds with 400 if a required parameter or body is missing or a value is not allowed, and with 406 if the client does not accept the type in `produces`.";

const allowableValues = f.list(f.object({ value: f.string({ doc: "A value." }) }, { doc: "A value.", shorthand: "value" }), { doc: "Allowed values." });

const param = f.object(
  {
    name: f.string({ doc: "Name of the parameter.", required: true }),
    type: f.string({ doc: "Location: path, query, header or body.", default: "path" }),
    dataType: f.string({ doc: "Data type of the parameter, for the API description." }),
    required: f.boolean({ doc: "Whether the parameter is required.", default: true }),
    defaultValue: f.string({ doc: "Default value of a query parameter or header." }),
    description: f.string({ doc: "Human-readable description." }),
    allowableValues,
    arrayType: text("Type of the items, for the API description."),
    collectionFormat: text("Accepted but ignored."),
    dataFormat: text("Data format, for the API description."),
    examples: text("Accepted but ignored."),
  },
  { doc: "One parameter.", required: true },
);

const responseMessage = f.object(
  {
    code: f.string({ doc: "Status code.", default: "200" }),
    message: f.string({ doc: "Description of the response.", default: "success" }),
    responseModel: text("Accepted but ignored."),
    contentType: text("Content type, for the API description."),
    header: f.list(
      f.object(
        {
          name: f.string({ doc: "Name of the header." }),
          description: f.string({ doc: "Human-readable description." }),
          dataType: f.string({ doc: "Data type of the header." }),
          allowableValues,
          arrayType: text("Accepted but ignored."),
          collectionFormat: text("Accepted but ignored."),
          dataFormat: text("Accepted but ignored."),
          example: text("Accepted but ignored."),
        },
        { doc: "A header." },
      ),
      { doc: "Headers." },
    ),
    examples: text("Accepted but ignored."),
  },
  { doc: "One response.", required: true },
);

export const verbFields = {
  id: f.string({ doc: "Id of the route of this operation; routeId takes precedence." }),
  path: f.string({ doc: "Path below the path of the REST service; `{name}` segments become headers.", default: "" }),
  to: f.object(
    {
      uri: f.uri({ doc: "Endpoint that handles the request.", required: true }),
      parameters: f.parameters({ doc: "Options of the endpoint.", default: {} }),
      id: f.string({ doc: "Id of the step that calls the endpoint.", group: "advanced" }),
      description: text("Description of the step."),
      note: text("Note for readers of the flow."),
      disabled: f.boolean({ doc: "Disables the operation.", default: false, group: "advanced" }),
      pattern: f.enum(["InOnly", "InOut"], { doc: "InOnly does not wait for a reply.", group: "advanced" }),
      variableSend: text("Variable whose value is sent as the body, in place of the message body."),
      variableReceive: text("Variable that receives the reply; the message does not change."),
    },
    { doc: "The endpoint that handles the request.", required: true, shorthand: "uri" },
  ),
  description: f.string({ doc: "Human-readable description, also used in the API description." }),
  note: f.string({ doc: "Note for readers of the flow." }),
  consumes: f.string({ doc: "Content types of requests, separated by commas; requests with other content types get 415." }),
  produces: f.string({ doc: "Content type of responses if the route sets none." }),
  param: f.list(param, { doc: "Parameters.", default: [] }),
  responseMessage: f.list(responseMessage, { doc: "Responses, for the API description.", default: [] }),
  security: f.list(
    f.object(
      { key: f.string({ doc: "Name of the security scheme." }), scopes: f.string({ doc: "Required scopes, separated by commas." }) },
      { doc: "A security requirement." },
    ),
    {
      doc: "Security requirements, for the API description.",
    },
  ),
  apiDocs: text("Whether the API description includes this element."),
  bindingMode: text(bindingModeDoc),
  clientRequestValidation: text(requestValidationDoc),
  clientResponseValidation: text("Accepted but ignored."),
  deprecated: f.boolean({ doc: "Marks the operation as deprecated in the API description.", default: false }),
  disabled: f.boolean({ doc: "Disables this element.", default: false }),
  enableCORS: text("If true, allows cross-origin requests; an access policy can restrict the origins."),
  enableNoContentResponse: text("Accepted but ignored."),
  outType: text("Accepted but ignored."),
  type: text("Accepted but ignored."),
  routeId: f.string({ doc: "Id of the route of this operation." }),
  skipBindingOnErrorCode: text("Accepted but ignored."),
  streamCache: text("Accepted but ignored."),
} as const;

/** In the order in which their routes are created. */
export const verbs = ["get", "post", "put", "patch", "delete", "head"] as const;
const verbList = (verb: string) =>
  f.list(f.object(verbFields, { doc: `One ${verb} operation.`, required: true }), { doc: `The ${verb} operations.`, default: [] });

export const restFields = {
  id: f.string({ doc: "Name of the service." }),
  path: f.string({ doc: "Base path of all operations.", default: "" }),
  description: f.string({ doc: "Human-readable description, also used in the API description." }),
  note: f.string({ doc: "Note for readers of the flow." }),
  disabled: f.boolean({ doc: "Disables this element.", default: false }),
  consumes: f.string({ doc: "Content types of requests, separated by commas; requests with other content types get 415." }),
  produces: f.string({ doc: "Content type of responses if the route sets none." }),
  tag: text("Tag, for the API description."),
  apiDocs: text("Whether the API description includes this element."),
  bindingMode: text(bindingModeDoc),
  clientRequestValidation: text(requestValidationDoc),
  clientResponseValidation: text("Accepted but ignored."),
  enableCORS: text("If true, allows cross-origin requests; an access policy can restrict the origins."),
  enableNoContentResponse: text("Accepted but ignored."),
  skipBindingOnErrorCode: text("Accepted but ignored."),
  openApi,
  securityDefinitions,
  securityRequirements: f.list(
    f.object(
      { key: f.string({ doc: "Name of the security scheme." }), scopes: f.string({ doc: "Required scopes, separated by commas." }) },
      { doc: "A security requirement." },
    ),
    {
      doc: "Security requirements, for the API description only; access is controlled by the access policy of the flow.",
    },
  ),
  get: verbList("get"),
  post: verbList("post"),
  put: verbList("put"),
  patch: verbList("patch"),
  delete: verbList("delete"),
  head: verbList("head"),
} as const;
