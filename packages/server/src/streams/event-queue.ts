import type { StreamEvent } from "./stream-event.ts";

export interface QueueLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
}

/** Recent events, oldest first, limited in number and memory; the newest is kept regardless of its size. */
export class EventQueue {
  readonly #limits: QueueLimits;
  /** A ring buffer whose oldest entry is at `front`. */
  #events: (StreamEvent | undefined)[] = [];
  #front = 0;
  #size = 0;
  #bytes = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether the next event evicts another one. */
  get isFull(): boolean {
    return this.#size >= this.#limits.maxEvents || this.#bytes >= this.#limits.maxBytes;
  }

  get oldest(): StreamEvent | undefined {
    return this.#events[this.#front];
  }

  /** Adds an event; returns the number of evicted events. */
  push(event: StreamEvent): number {
    const { maxEvents, maxBytes } = this.#limits;
    const previousSize = this.#size;
    this.#bytes += event.bytes;
    while (this.#size >= maxEvents || (this.#bytes > maxBytes && this.#size > 0)) this.#dropOldest();
    this.#events[(this.#front + this.#size) % maxEvents] = event;
    return previousSize - this.#size++;
  }

  list(): readonly StreamEvent[] {
    const end = this.#front + this.#size;
    const { maxEvents } = this.#limits;
    return [...this.#events.slice(this.#front, end), ...this.#events.slice(0, Math.max(0, end - maxEvents))] as StreamEvent[];
  }

  /** Removes and returns all events. */
  takeAll(): readonly StreamEvent[] {
    const events = this.list();
    this.#events = [];
    this.#front = 0;
    this.#size = 0;
    this.#bytes = 0;
    return events;
  }

  #dropOldest(): void {
    this.#bytes -= this.oldest?.bytes ?? 0;
    this.#events[this.#front] = undefined;
    this.#front = (this.#front + 1) % this.#limits.maxEvents;
    this.#size--;
  }
}
