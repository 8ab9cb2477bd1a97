// Every connector that comes with Sluice. Adding one is a folder and a line here, or in portable.ts when it does no I/O.
import type { ConnectorDeclaration } from "@sluice/engine/spi";
import { fileConnector, type FileSettings } from "./file/file.ts";
import { httpConnector, type HttpSettings } from "./http/http.ts";
import { portableConnectors, type PortableSettings } from "./portable.ts";
import { nodeHttpTools } from "./webhook/node-http-tools.ts";

export { type RouteAction, type RouteControl } from "./controlbus/controlbus.ts";
export type { FileSettings } from "./file/file.ts";
export type { EgressPolicy } from "./http/egress.ts";
export type { HttpSettings } from "./http/http.ts";
export type { LanguageList } from "./language/language.ts";
export type { MessageMappingPort } from "./message-mapping/message-mapping.ts";
export type { Burial, DurableQueues, Failure, Position, QueuedMessage, QueueStore } from "./queue/durable-queues.ts";
export { restoreMessage, storedSize, storeMessage, type Company, type RestoredMessage, type StoredMessage } from "./queue/stored-message.ts";
export type { DeadLetters } from "./sluice/sluice.ts";
export { queueDepths } from "./seda/queues.ts";
export { staysInside } from "./stays-inside.ts";
export { sluiceEvents, type SluiceEvent, type SluiceEvents } from "./sluice-event/sluice-event.ts";

/** What a server adds: ports some connectors need, and limits only an operator may set. */
export interface ConnectorSettings extends PortableSettings {
  readonly file?: FileSettings;
  readonly http?: HttpSettings;
}

export function connectorsWith(settings: ConnectorSettings): readonly ConnectorDeclaration[] {
  const all = [...portableConnectors(nodeHttpTools, settings), fileConnector(settings.file), httpConnector(settings.http)];
  return all.toSorted((one, other) => (one.scheme < other.scheme ? -1 : 1));
}

/** The connectors as they are without a server: what tools and tests need to know. */
export const connectors: readonly ConnectorDeclaration[] = connectorsWith({});
