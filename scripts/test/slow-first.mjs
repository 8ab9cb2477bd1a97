// Starts the slowest test files first, so that none of them is still running when the other workers are done. In a fresh clone vitest knows only the sizes of the files.
import { BaseSequencer } from "vitest/node";

const slowest = [
  "cluster/queue-contract.live",
  "tests/kafka",
  "tests/cluster",
  "tests/cluster-queues",
  "tests/cluster-workers",
  "tests/http-input",
  "tests/run-store",
  "tests/spans",
  "tests/cli-start",
  "tests/deploy-kamelets",
  "tests/flow-versions",
  "tests/flows",
  "tests/signals",
  "tests/workers",
  "tests/broker-connectors",
  "cluster/cluster-contract.live",
  "tests/redeploy",
  "tests/dead-letters",
  "tests/jms",
  "tests/queue",
  "tests/workers-faults",
  "tests/cli-operate",
  "tests/access",
  "tests/document-kinds",
  "cluster/nats/nats-renewal.live",
  "cluster/nats/nats-lost-acks.live",
  "tests/flow-files",
  "tests/cluster-aggregate",
  "tests/reserved-paths",
  "designer/trial",
  "designer/mappings",
  "designer/connections",
  "designer/conflicts",
  "designer/canvas",
  "designer/flow-menu",
  "designer/drawing",
  "designer/access",
  "designer/editor",
  "designer/panels",
  "designer/new-flow",
  "designer/run-on-canvas",
  "designer/versions",
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
