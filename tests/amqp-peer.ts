// An AMQP 1.0 broker in the test process, implemented with the client library: it counts deliveries, has temporary queues and selectors by
// correlation id, and can be made to fail. Brokers with these features are not installed on test machines.
import { freePort } from "@sluice/testkit";
import rhea, { type Connection, type Delivery, type EventContext, type Message, type Receiver, type Sender } from "rhea";

interface Queued {
  readonly message: Message;
  deliveries: number;
}

interface Listener {
  on(event: "listening", done: () => void): unknown;
  close(done: () => void): unknown;
}

interface PeerQueue {
  readonly waiting: Queued[];
  readonly consumers: Set<Sender>;
}

export class AmqpPeer {
  readonly #container = rhea.create_container({ id: "peer" });
  readonly #queues = new Map<string, PeerQueue>();
  readonly #connections = new Set<Connection>();
  readonly #unsettled = new Map<Delivery, { readonly queue: string; readonly item: Queued }>();
  #listener: Listener | undefined = undefined;
  #temporary = 0;
  port = 0;
  /** How deliveries were settled, in order. */
  readonly outcomes: { readonly queue: string; readonly outcome: string }[] = [];
  /** The sources that clients requested when they opened receiving links. */
  readonly sources: Record<string, unknown>[] = [];
  /** The container ids of clients, in order of their connections. */
  readonly clients: string[] = [];
  /** Links that were closed, as opposed to detached. */
  closedLinks = 0;
  /** If set, every message is rejected with this description. */
  rejectionReason: string | undefined = undefined;

  static async start(): Promise<AmqpPeer> {
    const peer = new AmqpPeer();
    await peer.#listen();
    return peer;
  }

  send(queue: string, message: Partial<Message>): void {
    this.#add(queue, { message: message as Message, deliveries: 0 });
  }

  waiting(queue: string): readonly Message[] {
    return this.#queue(queue).waiting.map(({ message }) => message);
  }

  /** Closes every connection with an error, like a broker that shuts down. */
  closeAll(condition = "amqp:connection:forced"): void {
    for (const connection of this.#connections) connection.close({ condition, description: "shut down by the operator" });
  }

  endSessions(): void {
    for (const connection of this.#connections)
      for (const session of Object.values((connection as unknown as { local_channel_map: Record<string, { close(error: object): void }> }).local_channel_map))
        session.close({ condition: "amqp:internal-error", description: "session ended by the test" });
  }

  async end(): Promise<void> {
    this.closeAll();
    await new Promise<void>((resolve) => void (this.#listener === undefined ? resolve() : this.#listener.close(resolve)));
  }

  async #listen(): Promise<void> {
    const container = this.#container;
    container.sasl_server_mechanisms.enable_anonymous();
    for (const name of ["connection_error", "session_error", "session_close", "sender_error", "receiver_error", "disconnected", "protocol_error", "error"])
      container.on(name, () => undefined);
    container.on("connection_open", ({ connection }: EventContext) => {
      this.#connections.add(connection);
      this.clients.push(connection.container_id);
    });
    container.on("connection_close", ({ connection }: EventContext) => void this.#connections.delete(connection));
    container.on("disconnected", ({ connection }: EventContext) => {
      this.#connections.delete(connection);
      for (const [delivery, { queue, item }] of this.#unsettled)
        if (delivery.link.connection === connection) {
          this.#unsettled.delete(delivery);
          this.#add(queue, item, true);
        }
      for (const { consumers } of this.#queues.values()) for (const sender of consumers) if (sender.connection === connection) consumers.delete(sender);
    });
    container.on("sender_open", ({ sender }: EventContext) => this.#consumer(sender as Sender));
    container.on("sender_close", ({ sender }: EventContext) => {
      this.closedLinks++;
      for (const { consumers } of this.#queues.values()) consumers.delete(sender as Sender);
    });
    container.on("sendable", ({ sender }: EventContext) => this.#dispatch((sender as Sender).source.address));
    container.on("receiver_open", ({ receiver }: EventContext) => (receiver as Receiver).set_target(receiver?.target as never));
    container.on("message", ({ message, delivery, receiver }: EventContext) => {
      if (this.rejectionReason !== undefined) return delivery?.reject({ condition: "amqp:not-allowed", description: this.rejectionReason });
      delivery?.accept();
      this.#add(receiver?.target.address as string, { message: message as Message, deliveries: 0 });
    });
    for (const outcome of ["accepted", "released", "modified", "rejected"])
      container.on(outcome, ({ delivery }: EventContext) => this.#settled(outcome, delivery as Delivery));
    if (this.port === 0) this.port = await freePort();
    this.#listener = container.listen({
      port: this.port,
      host: "127.0.0.1",
      receiver_options: { autoaccept: false },
      sender_options: { treat_modified_as_released: false },
    } as never);
    await new Promise<void>((resolve) => this.#listener?.on("listening", resolve));
  }

  #queue(name: string): PeerQueue {
    const queue = this.#queues.get(name) ?? { waiting: [], consumers: new Set() };
    this.#queues.set(name, queue);
    return queue;
  }

  #add(queue: string, item: Queued, isFirst = false): void {
    const { waiting } = this.#queue(queue);
    if (isFirst) waiting.unshift(item);
    else waiting.push(item);
    this.#dispatch(queue);
  }

  #consumer(sender: Sender): void {
    const source = sender.source as unknown as Record<string, unknown>;
    this.sources.push({
      name: sender.name,
      ...(source["value"] === undefined ? source : {}),
      address: source["address"],
      durable: source["durable"],
      filter: source["filter"],
      capabilities: source["capabilities"],
    });
    const address = source["dynamic"] === true ? `temporary-${++this.#temporary}` : (source["address"] as string);
    sender.set_source({ address } as never);
    this.#queue(address).consumers.add(sender);
    this.#dispatch(address);
  }

  #dispatch(queue: string): void {
    const { waiting, consumers } = this.#queue(queue);
    for (const sender of consumers)
      while (waiting.length > 0 && sender.is_open() && sender.sendable()) {
        const item = waiting.shift() as Queued;
        this.#unsettled.set(sender.send({ ...item.message, delivery_count: item.deliveries } as Message), { queue, item });
      }
  }

  #settled(outcome: string, delivery: Delivery): void {
    const unsettled = this.#unsettled.get(delivery);
    if (unsettled === undefined) return;
    this.#unsettled.delete(delivery);
    this.outcomes.push({ queue: unsettled.queue, outcome });
    if (outcome === "accepted" || outcome === "rejected") return;
    if (outcome === "modified") unsettled.item.deliveries++;
    this.#add(unsettled.queue, unsettled.item, true);
  }
}
