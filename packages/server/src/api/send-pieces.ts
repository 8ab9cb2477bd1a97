import { systemClock } from "../host/clock.ts";
import type { ApiStream } from "../http/management.ts";

/** Sends long text in pieces, one per turn of the event loop, and waits while the client reads slowly. */
export async function sendPieces(stream: ApiStream, pieces: Iterator<string | undefined>): Promise<void> {
  let resume: (() => void) | undefined;
  const wake = (): void => resume?.();
  stream.onDrain(wake);
  stream.onClose(wake);
  for (let piece = pieces.next(); piece.done !== true && stream.open; piece = pieces.next()) {
    if (piece.value !== undefined && !stream.write(piece.value) && stream.open) await new Promise<void>((resolve) => (resume = resolve));
    // Without this, a fast socket would take all pieces in one turn.
    await systemClock.yieldToEventLoop();
  }
  stream.end();
}
