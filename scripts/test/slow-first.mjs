// Starts the slowest test files first, so that none of them is still running when the other workers are done. In a fresh clone vitest knows only the sizes of the files.
import { BaseSequencer } from "vitest/node";

const slowest = [
  "tests/installed-package",
  "tests/doc-pages",
  "tests/cluster",
  "tests/cluster-queues",
  "tests/workers",
  "tests/cluster-aggregate",
  "cluster/cluster-contract",
  "cluster/queue-contract",
  "js/load-interpreter",
  "tests/docs-site",
  "tests/flows",
  "tests/deploy-kamelets",
  "tests/mqtt",
  "tests/bench-commands",
  "tests/delivery",
  "tests/third-party-connector",
  "message-mapping/run-limits",
  "tests/cluster-saga",
  "pgevent/pgevent",
  "designer/accessibility",
  "designer/runs-screen",
  "designer/canvas",
  "designer/mapper",
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
