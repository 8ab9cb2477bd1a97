import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A partner that counts how many times each message arrives; a message is identified by the text before its first space. */
export class CountingPartner {
  readonly deliveries = new Map<string, number>();
  /** While true, messages get no reply until `release`. */
  isHolding = false;
  readonly #held = new Set<() => void>();
  #server: Server | undefined;

  /** Starts to listen; resolves with the address. Replies are sent after `delayMs`. */
  async start(delayMs = 0): Promise<string> {
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => {
        const id = body.split(" ", 1)[0] as string;
        this.deliveries.set(id, (this.deliveries.get(id) ?? 0) + 1);
        const reply = (): void => void response.writeHead(200).end("ok");
        response.on("close", () => this.#held.delete(reply));
        if (this.isHolding) this.#held.add(reply);
        else if (delayMs === 0) reply();
        // real time: the partner's own delay.
        else setTimeout(reply, delayMs);
      });
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Number of messages that wait for a reply. */
  get waiting(): number {
    return this.#held.size;
  }

  /** Replies to the messages that wait, and to later ones at once. */
  release(): void {
    this.isHolding = false;
    for (const reply of this.#held) reply();
  }

  /** Number of repeated deliveries. */
  get repeated(): number {
    let count = 0;
    for (const times of this.deliveries.values()) count += times - 1;
    return count;
  }

  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }
}

/** A durable webhook `in` that sends each message to the partner. */
export const durableFlow = (url: string, consumers: number): string => `- route:
    id: in
    from:
      uri: webhook?durable=true&concurrentConsumers=${consumers}&maximumRedeliveries=-1&redeliveryDelay=100ms
      steps:
        - to: "${url}/take?httpMethod=POST"
`;
