// A session of one endpoint. A broker ends the session when it rejects an operation, so each endpoint has its own.
import type * as Rhea from "rhea";
import type { Clock } from "@sluice/engine/spi";
import { combineWrites, type CorkableStream } from "../messaging/combine-writes.ts";
import { problemOf, type AmqpClient } from "./amqp-connection.ts";
import { jmsError, brokerTimeout, notAccepted } from "./amqp-error.ts";
import type { Destination } from "./destination.ts";

interface Waiter {
  resolve(): void;
  reject(problem: Error): void;
}

/** Maximum number of open links to destinations; the oldest is closed first. */
const maxSenders = 100;

export class AmqpSession {
  readonly client: AmqpClient;
  readonly #session: Rhea.Session;
  readonly #clock: Clock;
  readonly #onLost: (problem: string) => void;
  readonly #senders = new Map<string, Promise<Rhea.Sender>>();
  /** Sent messages that the broker has not settled yet. */
  readonly #deliveries = new Map<Rhea.Delivery, Waiter>();
  /** All operations that wait for the broker. */
  readonly #waiting = new Set<Waiter>();
  isOpen = true;

  constructor(client: AmqpClient, clock: Clock, onLost: (problem: string) => void = () => undefined) {
    this.client = client;
    this.#clock = clock;
    this.#onLost = onLost;
    this.#session = client.connection.create_session();
    for (const name of ["session_error", "session_close"]) this.#session.on(name, (event: unknown) => this.#fail(problemOf(event)));
    client.lostListeners.add(this.#fail);
    this.#session.open();
  }

  /** Opens a receiving link; resolves when the broker has confirmed it. The link receives messages once it is granted credit. */
  async openReceiver(
    options: Rhea.ReceiverOptions,
    onMessage: (message: Rhea.Message, delivery: Rhea.Delivery) => void,
    where: string,
  ): Promise<Rhea.Receiver> {
    const receiver = this.#session.attach_receiver({ credit_window: 0, autoaccept: false, autosettle: true, ...options });
    receiver.on("message", ({ message, delivery }: Rhea.EventContext) => {
      if (message !== undefined && delivery !== undefined) onMessage(message, delivery);
    });
    for (const name of ["receiver_error", "receiver_close"]) receiver.on(name, (event: unknown) => this.#fail(problemOf(event)));
    await this.#waitForBroker(where, (waiter) => void receiver.once("receiver_open", () => waiter.resolve()));
    return receiver;
  }

  /** Resolves when the broker has accepted the message. */
  async send(destination: Destination, message: Rhea.Message): Promise<void> {
    const { address } = destination;
    const sender = await this.#sender(destination);
    if (!sender.sendable()) await this.#waitForBroker(address, (waiter) => void sender.once("sendable", () => waiter.resolve()));
    let delivery: Rhea.Delivery | undefined;
    try {
      await this.#waitForBroker(address, (waiter) => {
        delivery = sender.send(message);
        // The client writes each message in its own nextTick callback, which runs before the one that sends the combined writes.
        this.combineWrites();
        this.#deliveries.set(delivery, waiter);
      });
    } finally {
      if (delivery !== undefined) this.#deliveries.delete(delivery);
    }
  }

  /** Sends everything that the client writes in this tick with one system call. */
  combineWrites(): void {
    combineWrites((this.client.connection as unknown as { readonly socket?: CorkableStream }).socket);
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.#fail("the session is closed", false);
    this.#session.close();
  }

  #sender(destination: Destination): Promise<Rhea.Sender> {
    const { address } = destination;
    const existing = this.#senders.get(address);
    if (existing !== undefined) return existing;
    const opening = this.#openSender(destination);
    opening.catch(() => this.#senders.delete(address));
    this.#senders.set(address, opening);
    if (this.#senders.size > maxSenders) {
      const [oldest, link] = this.#senders.entries().next().value as [string, Promise<Rhea.Sender>];
      this.#senders.delete(oldest);
      link.then(
        (sender) => sender.close(),
        () => undefined,
      );
    }
    return opening;
  }

  async #openSender({ address, capability, hasDurableLink }: Destination): Promise<Rhea.Sender> {
    const sender = this.#session.attach_sender({ target: { address, capabilities: [capability], ...(hasDurableLink ? { durable: 2 } : {}) } });
    for (const name of ["sender_error", "sender_close"])
      sender.on(name, (event: { readonly error?: unknown }) => {
        this.#senders.delete(address);
        // Failing to close a link that is no longer needed is harmless.
        if (sender.error !== undefined && sender.error !== null) this.#fail(problemOf({ ...event, error: sender.error }));
      });
    for (const outcome of ["accepted", "rejected", "released", "modified"] as const)
      sender.on(outcome, ({ delivery }: Rhea.EventContext) => {
        const waiter = delivery === undefined ? undefined : this.#deliveries.get(delivery);
        if (outcome === "accepted") waiter?.resolve();
        else waiter?.reject(notAccepted(outcome, address, problemOf({ error: (delivery?.remote_state as { error?: unknown } | undefined)?.error ?? {} })));
      });
    await this.#waitForBroker(address, (waiter) => void sender.once("sender_open", () => waiter.resolve()));
    return sender;
  }

  /** Waits for the broker until the connection's timeout or the end of the session. */
  #waitForBroker(where: string, request: (waiter: Waiter) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        cancel();
        this.#waiting.delete(waiter);
      };
      const waiter: Waiter = {
        resolve: () => {
          end();
          resolve();
        },
        reject: (problem) => {
          end();
          reject(jmsError(problem, where));
        },
      };
      const { timeoutMs } = this.client;
      const cancel = this.#clock.after(timeoutMs, () => waiter.reject(brokerTimeout(timeoutMs, where)));
      this.#waiting.add(waiter);
      if (!this.isOpen) return waiter.reject(jmsError(new Error("the session is closed"), where));
      try {
        request(waiter);
      } catch (error) {
        waiter.reject(error as Error);
      }
    });
  }

  readonly #fail = (problem: string, isReported = true): void => {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.client.lostListeners.delete(this.#fail);
    for (const waiter of [...this.#waiting]) waiter.reject(new Error(problem));
    if (isReported) this.#onLost(problem);
  };
}
