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
