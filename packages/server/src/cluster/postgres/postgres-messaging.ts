// Messages between nodes as notifications. PostgreSQL limits a notification to 8,000 bytes: the payload of a longer one is in a table.
import { createHash } from "node:crypto";
import type { Messaging } from "@sluice/engine";
import { NodeRequests } from "../node-requests.ts";
import type { PostgresLink } from "./postgres-link.ts";

/** Limit of a notification, below that of PostgreSQL. */
const maxLength = 7_900;
/** Nodes read a payload immediately; nodes that join later do not need it. */
const payloadLasts = "1 minute";

/** Not logged: messages need not survive a crash of the server. */
export const payloadTable = (name: string): string =>
  `create unlogged table if not exists ${name}_payload (id bigserial primary key, at timestamptz not null default now(), bytes bytea not null);`;

export async function purgePayloads(link: PostgresLink): Promise<void> {
  await link.once(`delete from ${link.name}_payload where at < now() - interval '${payloadLasts}'`);
}

/** The channel of one node. PostgreSQL limits names to 63 bytes. */
export const channelOf = (name: string, node: string): string => `${name}_n${createHash("sha256").update(node).digest("hex").slice(0, 16)}`;

/**
 * A notification is `message <from> <topic> <payload>`, or `stored <from> <topic> <id of the payload>`; on the channel of a node, `frame <payload>` or
 * `storedframe <id of the payload>`.
 */
export function postgresMessaging(link: PostgresLink, node: string): Messaging & { close(): void } {
  const { name } = link;
  const notify = (channel: string, head: string, storedHead: string, payload: Uint8Array): void => {
    const text = `${head} ${Buffer.from(payload).toString("base64")}`;
    const sent =
      text.length <= maxLength
        ? link.once("select pg_notify($1, $2)", [channel, text])
        : link.once(`with payload as (insert into ${name}_payload (bytes) values ($3) returning id) select pg_notify($1, $2 || id) from payload`, [
            channel,
            `${storedHead} `,
            Buffer.from(payload),
          ]);
    sent.catch(() => undefined);
  };
  const read = async (id: string, isLast: boolean): Promise<Uint8Array | undefined> => {
    const where = `from ${name}_payload where id = $1`;
    const [row] = await link.once(isLast ? `delete ${where} returning bytes` : `select bytes ${where}`, [id]);
    return row && new Uint8Array(row["bytes"] as Buffer);
  };
  const requests = new NodeRequests({ node, send: (to, frame) => notify(channelOf(name, to), "frame", "storedframe", frame) });
  link.onNotification((text) => {
    const [kind, content = ""] = text.split(" ");
    if (kind === "frame") requests.receive(Buffer.from(content, "base64"));
    else if (kind === "storedframe")
      void read(content, true).then(
        (frame) => frame && requests.receive(frame),
        () => undefined,
      );
  });
  return {
    publish(topic, payload) {
      const about = [encodeURIComponent(node), encodeURIComponent(topic)].join(" ");
      notify(name, `message ${about}`, `stored ${about}`, payload);
    },
    subscribe: (topic, handler) => {
      let isOver = false;
      const end = link.onNotification((text) => {
        const [kind, sender = "", about = "", content = ""] = text.split(" ");
        if ((kind !== "message" && kind !== "stored") || decodeURIComponent(about) !== topic || decodeURIComponent(sender) === node) return;
        const from = decodeURIComponent(sender);
        if (kind === "message") return handler(new Uint8Array(Buffer.from(content, "base64")), from);
        void read(content, false).then(
          (payload) => {
            if (payload !== undefined && !isOver) handler(payload, from);
          },
          () => undefined,
        );
      });
      return () => {
        isOver = true;
        end();
      };
    },
    request: (topic, payload, options) => requests.request(topic, payload, options),
    respond: (topic, responder) => requests.respond(topic, responder),
    close: () => requests.close(),
  };
}
