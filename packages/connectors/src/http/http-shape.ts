// The declaration of the HTTP connector, without I/O.
import type { ConnectorDeclaration } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";

const pooled = "Accepted but ignored: all flows of the runtime share the connections, at most 100 per origin.";

const path = { httpUri: f.string({ doc: "The address: host, port and path.", required: true, examples: ["api.example.com/orders"] }) };

const options = {
  httpMethod: f.enum(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"], {
    doc: "HTTP method; by default the header CamelHttpMethod if the route set it, else POST with a body and GET without.",
  }),
  bridgeEndpoint: f.boolean({ doc: "Whether the header CamelHttpUri is ignored, so that the address of the endpoint is always used.", default: false }),
  throwExceptionOnFailure: f.boolean({ doc: "Whether a status outside okStatusCodeRange fails the step.", default: true }),
  okStatusCodeRange: f.string({
    doc: "Status codes that count as success: ranges and single codes, separated by commas.",
    default: "200-299",
    examples: ["200-204,209,301-304"],
  }),
  connectTimeout: f.duration({ doc: "Timeout for connecting.", default: 10_000 }),
  responseTimeout: f.duration({
    doc: "Timeout for the start of the response, and then for each further part; 0 for no limit other than that of the run.",
    default: 30_000,
  }),
  soTimeout: f.duration({ doc: "Same as responseTimeout; if both are set, the shorter one applies." }),
  connectionRequestTimeout: f.duration({
    doc: "Accepted but ignored: waiting for a free connection counts toward the limit of the run.",
    group: "advanced",
  }),
  followRedirects: f.boolean({ doc: "Whether redirects are followed, at most ten; credentials are not sent to another origin.", default: false }),
  copyHeaders: f.boolean({ doc: "Whether the headers of the message are preserved in addition to those of the response.", default: true }),
  skipRequestHeaders: f.boolean({ doc: "Whether to send none of the message's headers except Content-Type.", default: false }),
  skipResponseHeaders: f.boolean({ doc: "Whether the headers of the response are ignored, except Content-Type.", default: false }),
  ignoreResponseBody: f.boolean({ doc: "Whether the body of the response is discarded.", default: false }),
  disableStreamCache: f.boolean({ doc: "Whether the body is a stream that can be read once, instead of bytes.", default: false }),
  maxResponseSize: f.size({ doc: "Maximum size of a response that is read into memory; a larger one fails the step.", default: 64 * 1024 * 1024 }),
  getWithBody: f.boolean({ doc: "Whether GET sends the body.", default: false, group: "advanced" }),
  deleteWithBody: f.boolean({ doc: "Whether DELETE sends the body.", default: false, group: "advanced" }),
  userAgent: f.string({ doc: "The User-Agent header, unless the route set one.", default: "Sluice" }),
  customHostHeader: f.string({ doc: "The Host header, if it differs from the address.", group: "advanced" }),
  connectionClose: f.boolean({ doc: "Whether the connection is closed after each call.", default: false, group: "advanced" }),
  authMethod: f.enum(["Basic", "Bearer"], {
    doc: "Authentication method; by default Bearer with authBearerToken and Basic with authUsername.",
    group: "security",
  }),
  authUsername: f.string({ doc: "The user name.", group: "security" }),
  authPassword: f.text({ doc: "The password.", secret: true, group: "security" }),
  authBearerToken: f.text({ doc: "The bearer token.", secret: true, group: "security" }),
  authenticationPreemptive: f.boolean({
    doc: "Accepted but ignored: credentials are always sent with the first request.",
    default: true,
    group: "advanced",
  }),
  connectionsPerRoute: f.integer({ doc: pooled, group: "advanced" }),
  maxTotalConnections: f.integer({ doc: pooled, group: "advanced" }),
  useSystemProperties: f.boolean({ doc: "Accepted but ignored: there are no system properties.", default: false, group: "advanced" }),
  clearExpiredCookies: f.boolean({ doc: "Accepted but ignored: cookies are not stored.", default: true, group: "advanced" }),
  contentTypeCharsetEnabled: f.boolean({
    doc: "Accepted but ignored: the Content-Type of the message is sent unchanged.",
    default: true,
    group: "advanced",
  }),
  logHttpActivity: f.boolean({ doc: "Accepted but ignored: follow the trace stream instead.", default: false, group: "advanced" }),
  ...sinkFields,
  proxyHost: f.string({ doc: "Host of the proxy.", group: "advanced" }),
  proxyPort: f.integer({ doc: "Port of the proxy.", default: 8080, min: 1, max: 65_535, group: "advanced" }),
};

export type HttpOptions = Values<typeof path> & Values<typeof options>;

export const httpShape: Omit<ConnectorDeclaration<typeof path, typeof options>, "connect"> = {
  scheme: "http",
  aliases: ["https"],
  title: "HTTP",
  summary: "Calls an HTTP server; the response becomes the message.",
  guarantees:
    "A request is sent once; the error handler of the route handles retries. After a timeout, the server may have processed the request. Responses are read into memory up to maxResponseSize. Connections are pooled per origin, at most 100; further calls wait for a free one. Requests do not block other messages.",
  group: "web",
  icon: "globe",
  card: { title: "{host}", subtitle: "{httpMethod?} {path}" },
  since: "0.1",
  keywords: ["call", "rest", "api", "request", "fetch"],
  syntax: "http://httpUri",
  roles: ["sink"],
  workers: "any",
  path,
  options,
  lenient: true,
  guardsHost: true,
  headers: {
    CamelHttpMethod: f.string({ doc: "The method, if set by the route." }),
    CamelHttpUri: f.string({ doc: "Replaces the address, if set by the route; private addresses are then rejected." }),
    CamelHttpPath: f.string({ doc: "Appended to the path of the address, if set by the route." }),
    CamelHttpQuery: f.string({ doc: "Replaces the query, if set by the route." }),
    CamelHttpResponseCode: f.integer({ doc: "Status code of the response." }),
    CamelHttpResponseText: f.string({ doc: "Status text of the response." }),
  },
  examples: [
    {
      title: "Call an HTTP server",
      yaml: `- route:
    id: caller
    from:
      uri: direct:start
      steps:
        - to: "http://{{server}}/api/greeting"
        - convertBodyTo: String
- route:
    id: greeting
    from:
      uri: webhook
      steps:
        - setBody: {simple: "Hello \${body}"}`,
      given: { body: "Ada" },
      expect: { body: "Hello Ada" },
    },
  ],
};
