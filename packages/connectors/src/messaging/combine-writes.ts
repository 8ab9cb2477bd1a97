/** A socket that can buffer writes. */
export interface CorkableStream {
  readonly writableCorked: number;
  cork(): void;
  uncork(): void;
}

/** Sends everything that is written to the socket in this tick with one system call. */
export function combineWrites(stream: CorkableStream | undefined): void {
  if (stream === undefined || stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** The same for a client that writes in later ticks, or in an immediate that it schedules in the next tick. Call it after the client has its frame. */
export function combineUntilImmediate(stream: CorkableStream | undefined): void {
  if (stream === undefined || stream.writableCorked > 0) return;
  stream.cork();
  // Not at once: the client's immediate, which is scheduled in a tick that is queued already, must come first.
  process.nextTick(() => setImmediate(() => stream.uncork()));
}
