// Connections to other systems: define, test, list with state and users, remove.
import { f } from "@sluice/model";
import { z } from "zod";
import { maskDocument } from "../connections/connection-document.ts";
import type { NamedConnection, NamedConnections } from "../connections/named-connections.ts";
import type { ConnectionMetrics } from "../connections/shared-connection.ts";
import { documentId } from "../mappings/installed-document.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import { maskUris } from "../masking/secret-uris.ts";
import { defineEndpoint, ok, oneOf, shape, type Endpoint } from "./endpoint.ts";
import { requests } from "./examples.ts";
import { changeErrors } from "./error-responses.ts";
import { anyMap } from "./message-shapes.ts";

const stateMembers = (): Readonly<Record<string, z.ZodType>> => ({
  state: z.enum(["up", "down", "idle"]).describe("`idle`: no endpoint uses it."),
  since: z.string(),
  problem: z.string().nullable().describe("The reason why the connection is down; null otherwise."),
  users: z.int().describe("Number of endpoints that use it."),
  reconnects: z.int(),
});
export const connectionStateShape = shape(() => ({ id: z.string(), type: z.string(), ...stateMembers() }), "ConnectionState");
const documentMembers = (): Readonly<Record<string, z.ZodType>> => ({
  type: z.string(),
  title: z.string().optional(),
  values: anyMap().describe("Values by field name. A value can be `{env: NAME}`, `{file: path}` or `{value: …, secret: true}`; secrets are returned as `***`."),
});
const summaryShape = shape(
  () => ({
    id: z.string(),
    type: z.string().nullable(),
    title: z.string().nullable(),
    hash: z.string(),
    lastModified: z.string(),
    ...stateMembers(),
    flows: z.array(z.string()).describe("The flows that use it."),
    error: z.string().optional().describe("The reason why the document cannot be used."),
  }),
  "ConnectionSummary",
);
const documentShape = shape(() => ({ id: z.string(), ...documentMembers(), flows: z.array(z.string()) }), "ConnectionDocument");
const putShape = shape(() => ({ id: z.string(), created: z.boolean(), type: z.string(), hash: z.string(), lastModified: z.string() }), "InstalledConnection");
const testResultShape = oneOf(
  shape(() => ({ ok: z.literal(true), server: z.string().describe("The server's name and version."), ms: z.int() }), "ConnectionTestSuccess"),
  shape(() => ({ ok: z.literal(false), error: z.string(), hint: z.string(), ms: z.int() }), "ConnectionTestFailure"),
);
const documentBody = z.looseObject({ type: z.string().optional(), title: z.string().optional(), values: z.looseObject({}).optional() });

export interface ConnectionsApiParts {
  readonly named: NamedConnections;
  metrics(): readonly ConnectionMetrics[];
  /** Starts checks of the open connections. */
  checkSoon(): void;
  readonly secrets: SecretValues;
}

/** The states of connections; also used by health. */
export function connectionStates({ metrics, secrets }: Pick<ConnectionsApiParts, "metrics" | "secrets">): readonly Readonly<Record<string, unknown>>[] {
  return metrics().map(({ id, type, state: { state, since, problem }, users, reconnects }) => ({
    id,
    type,
    state,
    since: new Date(since).toISOString(),
    problem: problem === undefined ? null : secrets.scrub(maskUris(problem)),
    users,
    reconnects,
  }));
}

export function connectionEndpoints(parts: ConnectionsApiParts): readonly Endpoint[] {
  const { named, secrets } = parts;
  const mask = (text: string): string => secrets.scrub(maskUris(text));
  const summaryOf = ({ id, document, hash, lastModified, error }: NamedConnection): Readonly<Record<string, unknown>> => {
    const { type: _, ...state } = connectionStates(parts).find((connection) => connection["id"] === id) ?? {
      state: "idle",
      since: null,
      problem: null,
      users: 0,
      reconnects: 0,
    };
    return {
      ...state,
      id,
      type: document?.type ?? null,
      title: document?.title ?? null,
      hash,
      lastModified: new Date(lastModified).toISOString(),
      since: state["since"] ?? new Date(lastModified).toISOString(),
      flows: named.usersOf(id),
      ...(error === undefined ? {} : { error: mask(error) }),
    };
  };
  const testConnection = async (id: string | undefined, document: unknown) => {
    const outcome = await named.test(id, document);
    return ok(outcome.ok ? { ...outcome, server: mask(outcome.server) } : { ...outcome, error: mask(outcome.error) });
  };
  return [
    defineEndpoint({
      method: "GET",
      path: "/connections",
      tag: "connections",
      summary: "Lists the connections with the flows that use them",
      description: "With the state of each connection. A background check is started, whose result the next request returns.",
      errors: [],
      replies: { 200: { description: "All connections, by id.", schema: shape(() => ({ connections: z.array(summaryShape()), total: z.int() })) } },
      handle() {
        // Checks run in the background; the next request returns their results.
        parts.checkSoon();
        const connections = named.list().map(summaryOf);
        return ok({ connections, total: connections.length });
      },
    }),
    defineEndpoint({
      method: "GET",
      path: "/connections/:id",
      tag: "connections",
      summary: "Returns a connection",
      description: "Secrets are shown as `***`.",
      tagged: true,
      errors: ["id-invalid", "not-found"],
      replies: { 200: { description: "The document.", schema: documentShape } },
      handle({ params }) {
        const { id, document, hash } = named.read(documentId(params));
        return ok({ id, ...(document === undefined ? { type: "", values: {} } : maskDocument(document)), flows: named.usersOf(id) }, { ETag: `"${hash}"` });
      },
    }),
    defineEndpoint({
      method: "PUT",
      path: "/connections/:id",
      tag: "connections",
      summary: "Creates or replaces a connection",
      description:
        "The connection is tested first and saved only if it works, unless `force` is set. A secret sent as `***` keeps its stored value. Flows use the new version from then on.",
      query: { force: f.boolean({ doc: "Save it even if the test fails.", default: false }) },
      body: documentBody,
      conditional: "replace it",
      tagged: true,
      example: requests.connection,
      errors: ["id-invalid", "conflict", "document-invalid", "connection-failed", ...changeErrors],
      replies: {
        201: { description: "Defined.", schema: putShape },
        200: { description: "Replaced; flows use the new version from now on.", schema: putShape },
      },
      async handle({ params, body, precondition, query }) {
        const id = documentId(params);
        const { installed, created } = await named.install(id, body, precondition, query.force === true);
        const { hash, lastModified, document } = installed;
        return {
          status: created ? 201 : 200,
          json: { id, created, type: document?.type, hash, lastModified: new Date(lastModified).toISOString() },
          headers: { ETag: `"${hash}"` },
        };
      },
    }),
    defineEndpoint({
      method: "DELETE",
      path: "/connections/:id",
      tag: "connections",
      summary: "Removes a connection that no flow uses",
      description: "Rejected with 409 while a flow uses it, here or on another node.",
      conditional: "delete it",
      errors: ["id-invalid", "not-found", "conflict", ...changeErrors],
      replies: { 200: { description: "Removed.", schema: shape(() => ({ id: z.string(), deleted: z.boolean() })) } },
      async handle({ params, precondition }) {
        const id = documentId(params);
        await named.remove(id, precondition);
        return ok({ id, deleted: true });
      },
    }),
    defineEndpoint({
      method: "POST",
      path: "/connections/test",
      tag: "connections",
      summary: "Tests a connection that is not saved",
      description: "The result, with the reason and a hint if the connection failed, comes after at most ten seconds.",
      body: documentBody,
      example: requests.connection,
      errors: ["document-invalid"],
      replies: { 200: { description: "The test result, after at most ten seconds.", schema: testResultShape } },
      handle: ({ body }) => testConnection(undefined, body),
    }),
    defineEndpoint({
      method: "POST",
      path: "/connections/:id/test",
      tag: "connections",
      summary: "Tests a saved connection or a changed version of it",
      description: "Without a body, the saved connection is tested; with one, the document in it, whose `***` stands for the stored secrets.",
      body: documentBody.optional(),
      example: requests.connection,
      errors: ["id-invalid", "not-found", "document-invalid"],
      replies: { 200: { description: "The test result, after at most ten seconds.", schema: testResultShape } },
      handle: ({ params, body }) => testConnection(documentId(params), body?.type === undefined ? undefined : body),
    }),
    defineEndpoint({
      method: "POST",
      path: "/connections/:id/browse",
      tag: "connections",
      summary: "Lists names that exist on the other system",
      description: "What can be listed depends on the type of the connection: tables, topics, queues.",
      body: z.object({ what: z.string().max(60), prefix: z.string().max(500).default(""), limit: z.int().min(1).max(200).default(100) }),
      example: { what: "tables", prefix: "order" },
      errors: ["id-invalid", "not-found", "document-invalid", "connection-failed"],
      replies: { 200: { description: "The names.", schema: shape(() => ({ names: z.array(z.string()) })) } },
      async handle({ params, body: { what, prefix, limit } }) {
        return ok({ names: await named.browse(documentId(params), what, prefix, limit) });
      },
    }),
  ];
}
