// Connections to other systems. All users of the same connection share one client. The client may be replaced at any time, so endpoints hold the
// connection and request the client at each use.
import type { Described, Fields, Values } from "@sluice/model";
import type { Host } from "./host.ts";

/** A package that a connection needs and that its user installs. */
export interface ClientPackage {
  readonly package: string;
  /** The exact version that was tested. */
  readonly version: string;
  readonly reason: string;
}

/** Camel classes that describe a connection of this type, and the meaning of their properties. */
export interface BeanForm {
  /** Full class names. */
  readonly names: readonly string[];
  /**
   * The values of the connection's fields. Property names are as written in the flow; those of a referenced bean follow the property with
   * a dot (`connectionFactory.brokerURL`). Throws a CompileError for properties that cannot be translated.
   */
  fields(properties: Readonly<Record<string, string>>, className: string): Readonly<Record<string, unknown>>;
}

/** The API for `open`. */
export interface ConnectionContext {
  readonly host: Host;
  /** Aborted when no caller waits for the connection. */
  readonly signal: AbortSignal;
  /** Imports the client's package; rejects with a FlowError that says how to install it. */
  load<T>(clientPackage: ClientPackage): Promise<T>;
  /** Call this when the opened client detects that it lost its server. */
  disconnected(problem: string): void;
}

/** `generation` counts the clients: a different number means a different client. */
export interface ConnectionState {
  readonly state: "idle" | "up" | "down";
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Why it is down. */
  readonly problem: string | undefined;
  readonly generation: number;
}

/** A kind of connection, such as `postgres` or `sftp`. */
export interface ConnectionDeclaration<F extends Fields = any, C = any> extends Described {
  readonly type: string;
  /** The kinds that endpoints request, such as `sql`; several types may provide one kind. */
  readonly kinds: readonly string[];
  /** Secrets are marked as such and never shown. */
  readonly fields: F;
  /** The Camel classes that describe it, as beans of a flow or of application.properties. */
  readonly beans?: readonly BeanForm[];
  readonly needs: readonly ClientPackage[];
  /** Servers that its tests run against, with their versions, such as `PostgreSQL 15`. Shown on the reference pages. */
  readonly verifiedAgainst?: readonly string[];
  /**
   * Connects. There is one client per connection and process; pooling is up to the client. A failure is retried with a
   * back-off; after a FlowError that is not retryable, such as rejected credentials, the delay is at least 30 s.
   */
  open(values: Values<F>, context: ConnectionContext): Promise<C>;
  close(client: C): Promise<void>;
  /** One cheap round trip; resolves with the server's name and version, such as `PostgreSQL 15.9`. */
  check(client: C, signal: AbortSignal): Promise<string>;
  /** The kinds of names that `browse` can list, in the plural: `tables`, `topics`. Options refer to them with `browse`. */
  readonly browses?: readonly string[];
  /** Names of this kind that exist on the server and start with `prefix`, for pickers. */
  browse?(client: C, what: string, prefix: string, limit: number): Promise<readonly string[]>;
  /** Without `browse`: why names cannot be listed, and how to find them, such as `MQTT has no command …; use …`. */
  readonly cannotBrowse?: string;
}

/** Declares a connection type; exists only for type inference. */
export function defineConnection<const F extends Fields, C>(declaration: ConnectionDeclaration<F, C>): ConnectionDeclaration<F, C> {
  return declaration;
}

/** One endpoint's handle of a connection. It counts as a user from its first `client` or `watch` until it is released. */
export interface Connection<C = unknown> {
  /** The display name. */
  readonly id: string;
  /** The client, connecting first if needed. Rejects with a retryable FlowError when the system cannot be reached. */
  client(): Promise<C>;
  /** Reports a broken client: it is closed, and the next call to `client` reconnects. */
  invalidate(client: C, problem: string): void;
  /** Calls `listener` on each state change from now on; the returned function unsubscribes. */
  watch(listener: (state: ConnectionState) => void): () => void;
  /** Releases the handle. The engine calls this when the endpoint stops; it may be used again afterwards. */
  release(): void;
}

export interface ConnectionRequest {
  /** The bean, connection or class that an option names, with or without `#`; undefined when the endpoint names none. */
  readonly reference: string | undefined;
  readonly kinds: readonly string[];
  /** The type of the inline values where several types provide these kinds; default: the first. */
  readonly type?: string;
  /** Values given in the endpoint itself; equal values share one client. */
  readonly inline: Readonly<Record<string, unknown>>;
}

/** A bean that describes a connection: its class and its properties. */
export interface ConnectionBean {
  readonly type: string;
  readonly properties: Readonly<Record<string, string>>;
}

/** A request with the definitions of the flow and the properties. */
export interface ConnectionLookup extends ConnectionRequest {
  /** The connector or bean that requests it, for messages. */
  readonly user: string;
  /** The bean of the flow that the reference names. */
  readonly flowBean: ConnectionBean | undefined;
  /** Every bean of the flow by its name, for an endpoint that names none. */
  flowBeans(): ReadonlyMap<string, ConnectionBean>;
  /** The bean of that name in application.properties (`camel.beans.<name>`). */
  readonly propertyBean: ConnectionBean | undefined;
  /** Options of the component in application.properties (`camel.component.<scheme>.<option>`). */
  readonly component: Readonly<Record<string, string>>;
}

/** The connections of a runtime. */
export interface Connections {
  /** Finds one without connecting; throws a CompileError when there is none. */
  find<C>(lookup: ConnectionLookup): Connection<C>;
  /** True for a Camel class that describes a connection. */
  hasClass(name: string): boolean;
}
