import { systemClock } from "../host/clock.ts";

/** A pause between two rounds of a loop that can be ended early. */
export class InterruptiblePause {
  #end = (): void => undefined;

  /** Resolves after this time, or when `end` is called. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = systemClock.after(ms, resolve);
      this.#end = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Ends the current pause, if any. */
  end(): void {
    this.#end();
  }
}
