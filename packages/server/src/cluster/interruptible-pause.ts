import { systemClock } from "../host/clock.ts";

/** An interruptible pause between two iterations of a loop. */
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
