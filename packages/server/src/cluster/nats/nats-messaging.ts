// Messages between nodes as plain NATS messages. A frame of a request that exceeds the server's limit is sent in parts.
import { randomUUID } from "node:crypto";
import type { Msg } from "@nats-io/transport-node";
import type { Messaging } from "@sluice/engine";
import { systemClock } from "../../host/clock.ts";
import { NodeRequests } from "../node-requests.ts";
import { payloadLimit, tokenOf, type NatsLink } from "./nats-link.ts";

const fromHeader = "Sluice-From";
/** `<id of the frame> <number of the part> <number of parts>`. */
const partHeader = "Sluice-Part";
/** A frame whose parts do not arrive within this time is dropped. */
const partsMs = 10_000;
/** Status code of a NATS 'no responders' reply. */
const noResponders = 503;

export function natsMessaging(link: NatsLink, node: string): Messaging & { close(): void } {
  const { connection, transport, name } = link;
  const subjectOf = (topic: string): string => `${name}.publish.${tokenOf(topic)}`;
  const frameSubject = (to: string): string => `${name}.request.${tokenOf(to)}`;
  /** Inbox for 'no responders' replies: `<prefix>.<request>.<node>`. */
  const unreachable = `_INBOX_${name}.unreachable.${randomUUID()}`;
  const requests = new NodeRequests({
    node,
    send(to, frame, requestId) {
      // The client would buffer it, and discard it when it reconnects.
      if (!link.isUp || connection.isClosed()) return requestId === undefined ? undefined : requests.unreachable(requestId, to);
      const limit = payloadLimit(link);
      const count = Math.max(1, Math.ceil(frame.length / limit));
      const frameId = count === 1 ? "" : randomUUID();
      for (let part = 0; part < count; part++) {
        const headers = transport.headers();
        if (count > 1) headers.set(partHeader, `${frameId} ${part} ${count}`);
        const reply = requestId === undefined || part > 0 ? {} : { reply: `${unreachable}.${requestId}.${tokenOf(to)}` };
        connection.publish(frameSubject(to), frame.subarray(part * limit, (part + 1) * limit), { headers, ...reply });
      }
    },
  });
  const names = new Map<string, string>();
  const parts = new FrameParts((frame) => requests.receive(frame));
  connection.subscribe(frameSubject(node), {
    callback(error, message) {
      if (error === null) parts.receive(message);
    },
  });
  connection.subscribe(`${unreachable}.*.*`, {
    callback(error, message) {
      const [requestId = "", to = ""] = message.subject.slice(unreachable.length + 1).split(".");
      if (error === null && message.headers?.code === noResponders) requests.unreachable(requestId, names.get(to) ?? to);
    },
  });
  return {
    publish(topic, payload) {
      const headers = transport.headers();
      headers.set(fromHeader, encodeURIComponent(node));
      if (!connection.isClosed()) connection.publish(subjectOf(topic), payload, { headers });
    },
    subscribe(topic, handler) {
      const subscription = connection.subscribe(subjectOf(topic), {
        callback(error, message) {
          const from = decodeURIComponent(message.headers?.get(fromHeader) ?? "");
          if (error === null && from !== node) handler(message.data, from);
        },
      });
      return () => subscription.unsubscribe();
    },
    request(topic, payload, options) {
      for (const to of options.to) names.set(tokenOf(to), to);
      return requests.request(topic, payload, options);
    },
    respond: (topic, responder) => requests.respond(topic, responder),
    close: () => requests.close(),
  };
}

/** Assembles frames from their parts, which arrive in order. */
class FrameParts {
  readonly #receive: (frame: Uint8Array) => void;
  readonly #incomplete = new Map<string, { readonly parts: Uint8Array[]; readonly cancel: () => void }>();

  constructor(receive: (frame: Uint8Array) => void) {
    this.#receive = receive;
  }

  receive({ headers, data }: Msg): void {
    const [id = "", part, count] = (headers?.get(partHeader) ?? "").split(" ");
    if (id === "") return this.#receive(data);
    const incomplete = this.#incomplete.get(id) ?? (part === "0" ? this.#start(id) : undefined);
    // A part was lost with the connection.
    if (incomplete === undefined || Number(part) !== incomplete.parts.length) return this.#drop(id);
    incomplete.parts.push(data);
    if (incomplete.parts.length < Number(count)) return;
    this.#drop(id);
    this.#receive(Buffer.concat(incomplete.parts));
  }

  #start(id: string): { readonly parts: Uint8Array[]; readonly cancel: () => void } {
    const started = { parts: [], cancel: systemClock.after(partsMs, () => this.#drop(id)) };
    this.#incomplete.set(id, started);
    return started;
  }

  #drop(id: string): void {
    this.#incomplete.get(id)?.cancel();
    this.#incomplete.delete(id);
  }
}
