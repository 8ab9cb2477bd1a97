import { FlowError } from "@sluice/engine/spi";

/** Tolerates failed parts up to a limit; one instance per message. */
export function failureLimit(maxFailed: number, threshold: number): (index: number, done: number) => boolean {
  let failed = 0;
  return (_index, done) => {
    failed++;
    const tooMany = maxFailed > 0 && failed >= maxFailed;
    const aboveThreshold = threshold > 0 && failed / done >= threshold;
    if (tooMany || aboveThreshold)
      throw new FlowError("org.apache.camel.CamelExchangeException", `split stopped: ${failed} of ${done} parts failed`, { code: "split-limit" });
    return true;
  };
}
