/** Delays between attempts to reach a system that is down. */
export interface BackOff {
  readonly firstMs: number;
  /** Delays double up to this. */
  readonly maxMs: number;
}

/** A source and its connection may both wait, one after the other: a route is started again within 10 s after any outage. */
export const reconnectBackOff: BackOff = { firstMs: 250, maxMs: 4_000 };

/**
 * The delay after the given attempt, counted from 1. `random`, in [0, 1), reduces it by up to half, so that many clients do not reconnect at
 * the same moment.
 */
export function backOffMs(attempt: number, random: number, { firstMs, maxMs }: BackOff = reconnectBackOff): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 40)) * (1 - random / 2);
}
