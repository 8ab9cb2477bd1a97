// Parts of rest that describe an API. They are accepted; a warning names the effect they would have in Camel.
import { f } from "@sluice/model";

const text = (doc: string) => f.string({ doc, group: "advanced" });

/** Contract first: in Camel, the operations come from the specification. */
export const openApi = f.object(
  {
    specification: f.string({ doc: "The specification's file.", required: true }),
    routeId: text("Accepted without effect."),
    apiContextPath: text("Accepted without effect: use apiContextPath of the rest configuration."),
    missingOperation: text("Accepted without effect."),
    mockIncludePattern: text("Accepted without effect."),
    id: text("Id, for tools."),
    description: text("For readers."),
    note: text("For readers."),
    disabled: f.boolean({ doc: "Disables it.", default: false, group: "advanced" }),
  },
  {
    doc: "Accepted without effect: operations are written as get, post, put, patch, delete and head.",
    shorthand: "specification",
    group: "advanced",
    caution: () => "operations are not read from the specification: write them as get, post, put, patch, delete and head",
  },
);

const scheme = (doc: string, more: Readonly<Record<string, ReturnType<typeof text>>>) =>
  f.object({ key: f.string({ doc: "Name of the scheme.", required: true }), description: text("For readers."), ...more }, { doc });

export const securityDefinitions = f.object(
  {
    apiKey: scheme("A key in a header, a query parameter or a cookie.", {
      name: text("Name of the header, parameter or cookie."),
      inHeader: text("True: in a header."),
      inQuery: text("True: in the query."),
      inCookie: text("True: in a cookie."),
    }),
    basicAuth: scheme("User and password.", {}),
    bearerToken: scheme("A token.", { format: text("Format of the token.") }),
    mutualTLS: scheme("A client certificate.", {}),
    oauth2: f.object(
      {
        key: f.string({ doc: "Name of the scheme.", required: true }),
        description: text("For readers."),
        flow: text("The flow."),
        authorizationUrl: text("URL where the user signs in."),
        tokenUrl: text("URL that issues tokens."),
        refreshUrl: text("URL that renews tokens."),
        scopes: f.list(f.object({ key: text("Name."), value: text("What it is for.") }, { doc: "A scope." }), { doc: "The scopes." }),
      },
      { doc: "OAuth 2.0." },
    ),
    openIdConnect: scheme("OpenID Connect.", { url: text("URL of the provider's discovery document.") }),
  },
  {
    doc: "Security schemes, for the API description; the flow's access policy decides who may call.",
    group: "advanced",
    caution: () => "security schemes only describe the API, here as in Camel: an access policy decides who may call",
  },
);
