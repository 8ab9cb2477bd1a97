// Load balancers that choose a child before sending. Each has its own state per step and deployment.
import type { Expression, Host, Processor } from "@sluice/engine/spi";
import { copyExchange, each } from "@sluice/engine/tools";
import { asText } from "@sluice/engine/values";
import { after } from "../settle.ts";
import { OldestKey } from "../../oldest-key.ts";
import { runBranch } from "../branch.ts";

export type Balancer = Processor;

/** Maximum number of keys of a sticky balancer; the oldest key is evicted first. */
const maxStickyKeys = 10_000;

export function roundRobin(children: readonly Processor[]): Balancer {
  const next = roundRobinIndex(children.length);
  return (exchange) => (children[next()] as Processor)(exchange);
}

export function atRandom(children: readonly Processor[], host: Host): Balancer {
  return (exchange) => (children[Math.floor(host.random() * children.length)] as Processor)(exchange);
}

export function byKey(children: readonly Processor[], key: Expression): Balancer {
  const next = roundRobinIndex(children.length);
  const chosen = new Map<string, number>();
  const oldest = new OldestKey(chosen);
  return (exchange) => {
    const text = asText(key(exchange));
    let index = text === "" ? next() : chosen.get(text);
    if (index === undefined) {
      index = next();
      chosen.set(text, index);
      if (chosen.size > maxStickyKeys) chosen.delete(oldest.next() as string);
    }
    return (children[index] as Processor)(exchange);
  };
}

export function byWeight(children: readonly Processor[], ratios: readonly number[], isRoundRobin: boolean, host: Host): Balancer {
  const pick = isRoundRobin ? weightedRoundRobin(ratios) : weightedRandom(ratios, host);
  return (exchange) => (children[pick()] as Processor)(exchange);
}

/** Sends a copy to every child and stops at the first failure. The message does not change. */
export function toAll(children: readonly Processor[], host: Host): Balancer {
  return (exchange) =>
    each(
      children.values(),
      (run) => {
        const copy = copyExchange(exchange, host.ids);
        return after(runBranch({ copy, run }), () => {
          if (copy.failure !== undefined) throw copy.failure;
        });
      },
      host.clock,
    );
}

function roundRobinIndex(count: number): () => number {
  let last = -1;
  return () => (last = (last + 1) % count);
}

/** Round robin over the children with remaining weight; when all are used up, the weights are reset. */
function weightedRoundRobin(ratios: readonly number[]): () => number {
  let remaining = [...ratios];
  let at = 0;
  return () => {
    if (remaining.every((count) => count === 0)) {
      remaining = [...ratios];
      at = 0;
    }
    while (remaining[at % remaining.length] === 0) at++;
    const index = at++ % remaining.length;
    remaining[index] = (remaining[index] as number) - 1;
    return index;
  };
}

function weightedRandom(ratios: readonly number[], host: Host): () => number {
  const sum = ratios.reduce((total, ratio) => total + ratio, 0);
  return () => {
    let rest = host.random() * sum;
    for (let index = 0; index < ratios.length; index++) {
      rest -= ratios[index] as number;
      if (rest < 0) return index;
    }
    return ratios.length - 1;
  };
}
