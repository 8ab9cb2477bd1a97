import { systemClock } from "../host/clock.ts";

/** A pause between two iterations of a loop that can be interrupted. */
export class InterruptiblePause {
  #interrupt = (): void => undefined;

  /** Resolves after this time, or when `interrupt` is called. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = systemClock.after(ms, resolve);
      this.#interrupt = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Ends the current pause, if any. */
  interrupt(): void {
    this.#interrupt();
  }
}
