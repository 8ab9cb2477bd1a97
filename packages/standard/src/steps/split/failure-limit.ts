import { FlowError } from "@sluice/engine/spi";

/** Tolerates failed parts until a limit is reached; one instance per message. */
export function failureLimit(maxFailed: number, threshold: number): (index: number, done: number) => boolean {
  let failed = 0;
  return (_index, done) => {
    failed++;
    const tooMany = maxFailed > 0 && failed >= maxFailed;
    const reachesThreshold = threshold > 0 && failed / done >= threshold;
    if (tooMany || reachesThreshold)
      throw new FlowError("org.apache.camel.CamelExchangeException", `split stopped: ${failed} of ${done} parts failed`, { code: "split-limit" });
    return true;
  };
}
