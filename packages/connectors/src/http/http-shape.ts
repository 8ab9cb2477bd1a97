// How an HTTP address is written and what may be said about a call: everything but the calling.
import type { ConnectorDeclaration } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";

const pooled = "Accepted for flows from Camel: connections are shared by the whole runtime, and the operator sets how many there are.";

const path = { httpUri: f.string({ doc: "The address: host, port and path.", required: true, examples: ["api.example.com/orders"] }) };

const options = {
  httpMethod: f.enum(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"], {
    doc: "The method; otherwise the header CamelHttpMethod if the route set it, else GET without and POST with a body.",
  }),
  bridgeEndpoint: f.boolean({ doc: "Whether the header CamelHttpUri is ignored, so that the address is always the endpoint's.", default: false }),
  throwExceptionOnFailure: f.boolean({ doc: "Whether a status outside of okStatusCodeRange fails the step.", default: true }),
  okStatusCodeRange: f.string({
    doc: "The statuses that count as success: ranges and single codes with commas between.",
    default: "200-299",
    examples: ["200-204,209,301-304"],
  }),
  connectTimeout: f.duration({ doc: "How long to wait for a connection.", default: 10_000 }),
  responseTimeout: f.duration({
    doc: "How long to wait for the answer to begin, and then for each further part; 0 waits as long as the run may take.",
    default: 30_000,
  }),
  soTimeout: f.duration({ doc: "Another name for responseTimeout; the shorter one holds." }),
  connectionRequestTimeout: f.duration({
    doc: "Accepted for flows from Camel: waiting for a free connection counts towards the run's own limit.",
    group: "advanced",
  }),
  followRedirects: f.boolean({ doc: "Whether redirects are followed, ten at most; credentials are not taken to another origin.", default: false }),
  copyHeaders: f.boolean({ doc: "Whether the message keeps its headers beside those of the answer.", default: true }),
  skipRequestHeaders: f.boolean({ doc: "Whether none of the message's headers are sent.", default: false }),
  skipResponseHeaders: f.boolean({ doc: "Whether the answer's headers are left out of the message.", default: false }),
  ignoreResponseBody: f.boolean({ doc: "Whether the answer's body is thrown away.", default: false }),
  disableStreamCache: f.boolean({ doc: "Whether the body is the stream as it comes, which can be read once, instead of bytes.", default: false }),
  maxResponseSize: f.size({ doc: "The longest answer that is read into memory; a longer one fails the step.", default: 64 * 1024 * 1024 }),
  getWithBody: f.boolean({ doc: "Whether GET sends the body.", default: false, group: "advanced" }),
  deleteWithBody: f.boolean({ doc: "Whether DELETE sends the body.", default: false, group: "advanced" }),
  userAgent: f.string({ doc: "The User-Agent header, unless the route set one.", default: "Sluice" }),
  customHostHeader: f.string({ doc: "The Host header, if it must differ from the address.", group: "advanced" }),
  connectionClose: f.boolean({ doc: "Whether the connection is closed after each call.", default: false, group: "advanced" }),
  authMethod: f.enum(["Basic", "Bearer"], { doc: "How the call authenticates; Basic when only a user name is given.", group: "security" }),
  authUsername: f.string({ doc: "The user name.", group: "security" }),
  authPassword: f.text({ doc: "The password.", secret: true, group: "security" }),
  authBearerToken: f.text({ doc: "The bearer token.", secret: true, group: "security" }),
  authenticationPreemptive: f.boolean({
    doc: "Accepted for flows from Camel: credentials are always sent with the first request.",
    default: true,
    group: "advanced",
  }),
  connectionsPerRoute: f.integer({ doc: pooled, group: "advanced" }),
  maxTotalConnections: f.integer({ doc: pooled, group: "advanced" }),
  useSystemProperties: f.boolean({ doc: "Accepted for flows from Camel: there are no system properties.", default: false, group: "advanced" }),
  clearExpiredCookies: f.boolean({ doc: "Accepted for flows from Camel: cookies are not kept.", default: true, group: "advanced" }),
  contentTypeCharsetEnabled: f.boolean({
    doc: "Accepted for flows from Camel: the Content-Type is sent as the message has it.",
    default: true,
    group: "advanced",
  }),
  logHttpActivity: f.boolean({ doc: "Accepted for flows from Camel: calls are seen in a trace.", default: false, group: "advanced" }),
  ...sinkFields,
  proxyHost: f.string({ doc: "The host of a proxy to call through.", group: "advanced" }),
  proxyPort: f.integer({ doc: "The proxy's port.", default: 8080, min: 1, max: 65_535, group: "advanced" }),
};

export type HttpOptions = Values<typeof path> & Values<typeof options>;

export const httpShape: Omit<ConnectorDeclaration<typeof path, typeof options>, "connect"> = {
  scheme: "http",
  aliases: ["https"],
  title: "HTTP",
  summary: "Calls a web server and puts its answer into the message.",
  group: "web",
  icon: "globe",
  since: "0.1",
  syntax: "http://httpUri",
  workers: "any",
  path,
  options,
  lenient: true,
  headers: {
    CamelHttpMethod: f.string({ doc: "Steers the method, if the route set it." }),
    CamelHttpUri: f.string({ doc: "Replaces the address, if the route set it; private addresses are then refused." }),
    CamelHttpPath: f.string({ doc: "Is added to the address's path, if the route set it." }),
    CamelHttpQuery: f.string({ doc: "Replaces the query, if the route set it." }),
    CamelHttpResponseCode: f.integer({ doc: "The answer's status." }),
    CamelHttpResponseText: f.string({ doc: "The answer's status in words." }),
  },
  examples: [
    {
      title: "Asking a web server",
      yaml: `- route:
    id: asker
    from:
      uri: direct:start
      steps:
        - to: "http://{{server}}/api/answerer"
        - convertBodyTo: String
- route:
    id: answerer
    from:
      uri: webhook
      steps:
        - setBody: {simple: "Hello \${body}"}`,
      given: { body: "Ada" },
      expect: { body: "Hello Ada" },
    },
  ],
};
