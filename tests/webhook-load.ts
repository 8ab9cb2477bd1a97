// Steady traffic on one webhook from many keep-alive connections, counting all errors.
import { Agent, request } from "node:http";
import { onTestFinished } from "vitest";

interface Reply {
  readonly sentAt: number;
  readonly status: number;
  readonly body: string;
}

export interface Load {
  readonly replies: Reply[];
  /** Resets, timeouts and refused connections, by message. */
  readonly connectionErrors: string[];
  /** Lets every request in flight finish, then stops. */
  stop(): Promise<void>;
}

let moments = 0;

/** A number that is larger than all earlier ones: the order of requests and changes. */
export const moment = (): number => ++moments;

export function startLoad(url: string, { connections = 20, body = "{}", pauseMs = 0 } = {}): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const replies: Reply[] = [];
  const connectionErrors: string[] = [];
  let running = true;
  const sendRequest = (): Promise<void> =>
    new Promise((resolve) => {
      const sentAt = moment();
      const outgoing = request(url, { method: "POST", agent, headers: { "content-type": "application/json" }, timeout: 60_000 }, (incoming) => {
        let text = "";
        incoming.setEncoding("utf8").on("data", (chunk) => (text += chunk));
        incoming.on("end", () => resolve(void replies.push({ sentAt, status: incoming.statusCode ?? 0, body: text })));
        incoming.on("error", (error) => resolve(void connectionErrors.push(`reply: ${error.message}`)));
      });
      outgoing.on("timeout", () => outgoing.destroy(new Error("no response within 60 s")));
      outgoing.on("error", (error) => resolve(void connectionErrors.push(`request: ${error.message}`)));
      outgoing.end(body);
    });
  const loops = Array.from({ length: connections }, async () => {
    while (running) {
      await sendRequest();
      // real time: the pace of the load.
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  });
  const stop = async (): Promise<void> => {
    running = false;
    await Promise.all(loops);
    agent.destroy();
  };
  // A failed test leaves no traffic for the next one.
  onTestFinished(stop);
  return { replies, connectionErrors, stop };
}
