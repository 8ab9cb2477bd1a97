import { inSlices as inSlicesWithClock } from "@sluice/engine/tools";
import { systemClock } from "./clock.ts";

/** Runs a generator and yields to the event loop after each time slice. */
export const inSlices = <T>(steps: Generator<undefined, T>): Promise<T> => inSlicesWithClock(steps, systemClock);
