// Starts the slowest test files first, so that none of them is still running when the other workers are done. In a fresh clone vitest knows only the sizes of the files.
import { BaseSequencer } from "vitest/node";

const slowest = [
  "tests/kafka",
  "cluster/queue-contract.live",
  "tests/cluster",
  "tests/cluster-command",
  "tests/cluster-queues",
  "tests/workers",
  "tests/flows",
  "tests/cluster-aggregate",
  "cluster/cluster-contract.live",
  "tests/jms",
  "tests/run-store",
  "tests/cluster-workers",
  "tests/work-limits",
  "tests/spans",
  "tests/workers-faults",
  "tests/mqtt",
  "tests/delivery",
  "tests/cluster-saga",
  "designer/trial",
  "designer/mappings",
  "designer/connections",
  "designer/canvas",
  "designer/conflicts",
  "designer/drawing",
  "designer/flow-menu",
  "designer/access",
];

const rankOf = ({ moduleId }) => {
  const rank = slowest.findIndex((name) => moduleId.endsWith(`${name}.test.ts`));
  return rank === -1 ? slowest.length : rank;
};

export class SlowFirstSequencer extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
