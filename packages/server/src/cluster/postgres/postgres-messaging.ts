// Messages between nodes. Every role of a database can send and receive notifications, so a notification only contains the id of a message;
// the message is in a table, which needs privileges. The receiver of a frame deletes it: a repeated notification has no effect.
import { createHash } from "node:crypto";
import type { Messaging } from "@sluice/engine";
import { decodeParts, encodeParts } from "../message-parts.ts";
import { NodeRequests } from "../node-requests.ts";
import { largeMs, type PostgresLink } from "./postgres-link.ts";

/** Nodes read a message immediately; nodes that join later do not need it. */
const messageRetention = "1 minute";

/** An unlogged table, because messages need not survive a crash of the server. */
export const messageTable = (name: string): string =>
  `create unlogged table if not exists ${name}_message (id bigserial primary key, at timestamptz not null default now(), channel text not null, bytes bytea not null);`;

export async function purgeMessages(link: PostgresLink): Promise<void> {
  await link.once(`delete from ${link.name}_message where at < now() - interval '${messageRetention}'`);
}

/** The channel of one node. PostgreSQL limits names to 63 bytes. */
export const channelOf = (name: string, node: string): string => `${name}_n${createHash("sha256").update(node).digest("hex").slice(0, 16)}`;

interface PublishedHead {
  readonly from: string;
  readonly topic: string;
}

type Handler = (payload: Uint8Array, from: string) => void;

/** A notification is `message <id>` on the channel of all nodes, or `frame <id>` on the channel of one node. */
export function postgresMessaging(link: PostgresLink, node: string): Messaging & { close(): void } {
  const { name } = link;
  const ownChannel = channelOf(name, node);
  const handlers = new Set<{ readonly topic: string; readonly handler: Handler }>();
  const send = (kind: "message" | "frame", channel: string, bytes: Uint8Array, onUnsent?: () => void): void => {
    link
      .once(
        `with sent as (insert into ${name}_message (channel, bytes) values ($1, $2) returning id) select pg_notify($1, $3 || id) from sent`,
        [channel, Buffer.from(bytes), `${kind} `],
        largeMs,
      )
      .catch((error: unknown) => {
        if (link.classify(error) === "not-executed") onUnsent?.();
      });
  };
  const requests = new NodeRequests({
    node,
    send(to, frame, requestId) {
      send("frame", channelOf(name, to), frame, requestId === undefined ? undefined : () => requests.unreachable(requestId, to));
    },
  });
  const deliverPublished = (message: Uint8Array): void => {
    const [head, payload] = decodeParts(message);
    const { from, topic } = head as PublishedHead;
    for (const entry of handlers) if (entry.topic === topic && from !== node) entry.handler(payload, from);
  };
  const read = async (statement: string, channel: string, id: string, receive: (bytes: Uint8Array) => void): Promise<void> => {
    const [row] = await link.once(statement, [id, channel], largeMs);
    if (row !== undefined) receive(new Uint8Array(row["bytes"] as Buffer));
  };
  const messageOf = `from ${name}_message where id = $1 and channel = $2`;
  link.onNotification((text) => {
    const [kind, id = ""] = text.split(" ");
    if (kind === "message") read(`select bytes ${messageOf}`, name, id, deliverPublished).catch(() => undefined);
    else if (kind === "frame") read(`delete ${messageOf} returning bytes`, ownChannel, id, (frame) => requests.receive(frame)).catch(() => undefined);
  });
  return {
    publish: (topic, payload) => send("message", name, encodeParts({ from: node, topic } satisfies PublishedHead, payload)),
    subscribe(topic, handler) {
      const entry = { topic, handler };
      handlers.add(entry);
      return () => void handlers.delete(entry);
    },
    request: (topic, payload, options) => requests.request(topic, payload, options),
    respond: (topic, responder) => requests.respond(topic, responder),
    close: () => requests.close(),
  };
}
