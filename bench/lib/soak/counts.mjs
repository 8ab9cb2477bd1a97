// The counts of a soak test: those of the clients compared with those of the runtime.
import { token } from "../processes.mjs";
import { routeId, soakRoutes } from "./soak-flow.mjs";

/** The counters of the runtime, from its metrics. */
export async function readCounts(baseUrl) {
  const response = await fetch(`${baseUrl}/_api/metrics`, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`GET metrics: ${response.status}`);
  const text = await response.text();
  const sum = (name, route, matches) =>
    text
      .split("\n")
      .filter((line) => line.startsWith(`${name}{`) && line.includes(`route="${route}"`) && matches(line))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  const has = (status) => (line) => line.includes(`status="${status}"`);
  return Object.fromEntries(
    soakRoutes.map((route) => {
      const id = routeId(route);
      const completed = sum("sluice_runs_total", id, has("completed"));
      const failed = sum("sluice_runs_total", id, has("failed"));
      return [
        route,
        { completed, failed, other: sum("sluice_runs_total", id, () => true) - completed - failed, inflight: sum("sluice_runs_inflight", id, () => true) },
      ];
    }),
  );
}

/** Mismatches, one sentence each. */
export function audit(tally, before, after) {
  const errors = [];
  const increaseOf = (route, what) => after[route][what] - before[route][what];
  const expect = (what, expected, got) => {
    if (expected !== got) errors.push(`${what}: expected ${expected}, counted ${got}`);
  };
  for (const route of ["plain", "queue", "slow"]) {
    expect(`responses of ${route}`, tally.sent[route], tally.answered[route]);
    expect(`completed runs of ${route}`, tally.answered[route], increaseOf(route, "completed"));
    expect(`failed runs of ${route}`, 0, increaseOf(route, "failed"));
  }
  expect("responses of fail", tally.sent.fail, tally.answered.fail);
  expect("failed runs of fail", tally.answered.fail, increaseOf("fail", "failed"));
  expect("messages received from the queue", tally.queued, increaseOf("sink", "completed"));
  // A client may disconnect before its call was read: some calls never become runs, but none may become two.
  const hangUpRuns = increaseOf("hang-up", "completed") + increaseOf("hang-up", "failed") + increaseOf("hang-up", "other");
  if (hangUpRuns > tally.sent["hang-up"]) errors.push(`runs of hang-up: at most ${tally.sent["hang-up"]} were expected, counted ${hangUpRuns}`);
  for (const route of soakRoutes) expect(`runs of ${route} still in flight`, 0, after[route].inflight);
  return errors;
}
