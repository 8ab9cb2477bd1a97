// Parts of `rest` that only describe the API. A warning explains that they neither create operations nor control access.
import { f } from "@sluice/model";

const text = (doc: string) => f.string({ doc, group: "advanced" });

/** In Camel, `openApi` takes the operations from the specification (contract first). */
export const openApi = f.object(
  {
    specification: f.string({ doc: "File of the specification.", required: true }),
    routeId: text("Accepted but ignored."),
    apiContextPath: text("Accepted but ignored: use apiContextPath of the rest configuration."),
    missingOperation: text("Accepted but ignored."),
    mockIncludePattern: text("Accepted but ignored."),
    id: text("Id, used by tools."),
    description: text("Human-readable description."),
    note: text("Note for readers of the flow."),
    disabled: f.boolean({ doc: "Disables this element.", default: false, group: "advanced" }),
  },
  {
    doc: "Accepted but ignored: operations are written as get, post, put, patch, delete and head.",
    shorthand: "specification",
    group: "advanced",
    caution: () => "operations are not read from the specification: write them as get, post, put, patch, delete and head",
  },
);

const scheme = (doc: string, more: Readonly<Record<string, ReturnType<typeof text>>>) =>
  f.object({ key: f.string({ doc: "Name of the scheme.", required: true }), description: text("Human-readable description."), ...more }, { doc });

export const securityDefinitions = f.object(
  {
    apiKey: scheme("A key in a header, a query parameter or a cookie.", {
      name: text("Name of the header, parameter or cookie."),
      inHeader: text("True if the key is in a header."),
      inQuery: text("True if the key is in the query."),
      inCookie: text("True if the key is in a cookie."),
    }),
    basicAuth: scheme("User name and password.", {}),
    bearerToken: scheme("A token.", { format: text("Format of the token.") }),
    mutualTLS: scheme("A client certificate.", {}),
    oauth2: f.object(
      {
        key: f.string({ doc: "Name of the scheme.", required: true }),
        description: text("Human-readable description."),
        flow: text("OAuth 2.0 flow."),
        authorizationUrl: text("URL where the user signs in."),
        tokenUrl: text("URL that issues tokens."),
        refreshUrl: text("URL that renews tokens."),
        scopes: f.list(f.object({ key: text("Name of the scope."), value: text("Description of the scope.") }, { doc: "A scope." }), { doc: "The scopes." }),
      },
      { doc: "OAuth 2.0." },
    ),
    openIdConnect: scheme("OpenID Connect.", { url: text("URL of the provider's discovery document.") }),
  },
  {
    doc: "Security schemes, for the API description only; access is controlled by the access policy of the flow.",
    group: "advanced",
    caution: () => "security schemes only describe the API, as in Camel: use an access policy to control access",
  },
);
