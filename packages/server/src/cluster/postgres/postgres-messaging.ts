// Messages between nodes as notifications. PostgreSQL limits a notification to 8,000 bytes: the payload of a longer one is in a table.
import type { Messaging } from "@sluice/engine";
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

/** A notification is `message <from> <topic> <payload>`, or `stored <from> <topic> <id of the payload>`. */
export function postgresMessaging(link: PostgresLink, node: string): Messaging {
  const { name } = link;
  const headOf = (kind: "message" | "stored", topic: string): string => [kind, encodeURIComponent(node), encodeURIComponent(topic), ""].join(" ");
  const send = (topic: string, payload: Uint8Array): Promise<unknown> => {
    const text = headOf("message", topic) + Buffer.from(payload).toString("base64");
    if (text.length <= maxLength) return link.once("select pg_notify($1, $2)", [name, text]);
    return link.once(`with payload as (insert into ${name}_payload (bytes) values ($3) returning id) select pg_notify($1, $2 || id) from payload`, [
      name,
      headOf("stored", topic),
      Buffer.from(payload),
    ]);
  };
  const read = async (id: string): Promise<Uint8Array | undefined> => {
    const [row] = await link.once(`select bytes from ${name}_payload where id = $1`, [id]);
    return row && new Uint8Array(row["bytes"] as Buffer);
  };
  return {
    publish: (topic, payload) => void send(topic, payload).catch(() => undefined),
    subscribe: (topic, handler) => {
      let isOver = false;
      const end = link.onNotification((text) => {
        const [kind, sender = "", about = "", content = ""] = text.split(" ");
        if ((kind !== "message" && kind !== "stored") || decodeURIComponent(about) !== topic || decodeURIComponent(sender) === node) return;
        const from = decodeURIComponent(sender);
        if (kind === "message") return handler(new Uint8Array(Buffer.from(content, "base64")), from);
        void read(content).then(
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
  };
}
