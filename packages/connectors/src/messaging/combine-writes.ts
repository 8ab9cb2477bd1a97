/** A socket that can collect what is written to it. */
export interface CorkableStream {
  readonly writableCorked: number;
  cork(): void;
  uncork(): void;
}

/** Everything written to the socket until the next turn of the event loop leaves with one system call. */
export function combineWrites(stream: CorkableStream | undefined): void {
  if (stream === undefined || stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
