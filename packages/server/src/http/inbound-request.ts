import type { BodyReceiver } from "./body.ts";
import type { ErrorReply } from "../service-error.ts";
import type { ReplyBody, ReplyHeaders } from "./reply.ts";

/** A request whose head has been read but not its body. */
export interface InboundRequest {
  readonly method: string;
  readonly query: string;
  readonly rawHeaders: readonly string[];
  readonly remoteAddress: string;
  readonly encoding: string;
  readonly session: string;
  readBody(receiver: BodyReceiver): void;
  reply(status: number, headers: ReplyHeaders | undefined, body: ReplyBody): void;
  /** Sends an error reply; closes the connection if the body has not been read. */
  refuse(error: ErrorReply): void;
}
