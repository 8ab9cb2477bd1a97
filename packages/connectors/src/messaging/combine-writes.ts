/** A socket that can buffer writes. */
export interface CorkableStream {
  readonly writableCorked: number;
  readonly writableLength: number;
  cork(): void;
  uncork(): void;
}

/**
 * Sends everything that is written to the socket in this tick with one system call. Call it before each write. Data is sent earlier when `maxBytes` are
 * buffered, so that the server processes it while the next messages are prepared.
 */
export function combineWrites(stream: CorkableStream | undefined, maxBytes = Infinity): void {
  if (stream === undefined) return;
  if (stream.writableCorked === 0) process.nextTick(() => stream.uncork());
  else if (stream.writableLength >= maxBytes) stream.uncork();
  else return;
  stream.cork();
}

/** The same for a client that writes in later ticks, or in a setImmediate callback that it schedules in the next tick. Call it after each client call. */
export function combineUntilImmediate(stream: CorkableStream | undefined): void {
  if (stream === undefined || stream.writableCorked > 0) return;
  stream.cork();
  // In a nextTick callback, because the client's setImmediate callback, which a queued tick schedules, must run first.
  process.nextTick(() => setImmediate(() => stream.uncork()));
}
