import type { BodyReceiver } from "./body.ts";
import type { ReplyBody, ReplyHeaders } from "./reply.ts";

/** A request as the listener hands it on: its head is read, its body is not. */
export interface Arrival {
  readonly method: string;
  readonly query: string;
  readonly rawHeaders: readonly string[];
  readonly remoteAddress: string;
  readonly encoding: string;
  readonly session: string;
  readBody(receiver: BodyReceiver): void;
  reply(status: number, headers: ReplyHeaders | undefined, body: ReplyBody): void;
  /** An error reply; the connection is closed when the body is still to come. */
  refuse(status: number, text: string, headers?: Readonly<Record<string, string>>): void;
}
