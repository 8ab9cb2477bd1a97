/** A socket that can buffer writes. */
export interface CorkableStream {
  readonly writableCorked: number;
  readonly writableLength: number;
  cork(): void;
  uncork(): void;
}

/**
 * Sends everything that is written to the socket in this tick with one system call. Call it before each write. With `maxBytes`, as soon as that much is
 * waiting, it is sent: the server works on it while the next messages are prepared.
 */
export function combineWrites(stream: CorkableStream | undefined, maxBytes = Infinity): void {
  if (stream === undefined) return;
  if (stream.writableCorked === 0) process.nextTick(() => stream.uncork());
  else if (stream.writableLength >= maxBytes) stream.uncork();
  else return;
  stream.cork();
}

/** The same for a client that writes in later ticks, or in an immediate that it schedules in the next tick. Call it after the client has its frame. */
export function combineUntilImmediate(stream: CorkableStream | undefined): void {
  if (stream === undefined || stream.writableCorked > 0) return;
  stream.cork();
  // Not at once: the client's immediate, which is scheduled in a tick that is queued already, must come first.
  process.nextTick(() => setImmediate(() => stream.uncork()));
}
