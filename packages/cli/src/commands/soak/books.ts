// The books of a soak: what the clients counted against what the runtime counted.
import type { Connection } from "../../runtime/connection.ts";
import { routeId, soakRoutes, type SoakRoute } from "./soak-flow.ts";
import type { Tally } from "./traffic.ts";

interface Counts {
  readonly completed: number;
  readonly failed: number;
  readonly other: number;
  readonly inflight: number;
}

export type Books = Readonly<Record<SoakRoute, Counts>>;

/** What the runtime has counted so far, from its metrics. */
export async function readBooks(connection: Connection): Promise<Books> {
  const text = await connection.call("GET /metrics");
  const sum = (name: string, route: string, keep: (labels: string) => boolean): number =>
    text
      .split("\n")
      .filter((line) => line.startsWith(`${name}{`) && line.includes(`route="${route}"`) && keep(line))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  const has = (status: string) => (line: string) => line.includes(`status="${status}"`);
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
  ) as unknown as Books;
}

/** What does not balance, each in a sentence. */
export function audit(tally: Tally, before: Books, after: Books): readonly string[] {
  const faults: string[] = [];
  const grown = (route: SoakRoute, what: keyof Counts): number => after[route][what] - before[route][what];
  const expect = (what: string, wanted: number, got: number): void => {
    if (wanted !== got) faults.push(`${what}: expected ${wanted}, counted ${got}`);
  };
  for (const route of ["plain", "queue", "slow"] as const) {
    expect(`answers of ${route}`, tally.sent[route], tally.answered[route]);
    expect(`completed runs of ${route}`, tally.answered[route], grown(route, "completed"));
    expect(`failed runs of ${route}`, 0, grown(route, "failed"));
  }
  expect("answers of fail", tally.sent.fail, tally.answered.fail);
  expect("failed runs of fail", tally.answered.fail, grown("fail", "failed"));
  expect("messages that came out of the queue", tally.queued, grown("sink", "completed"));
  // Who hangs up may do so before the call was read: some of these never became runs, and none may become two.
  const hung = grown("hang-up", "completed") + grown("hang-up", "failed") + grown("hang-up", "other");
  if (hung > tally.sent["hang-up"]) faults.push(`runs of hang-up: at most ${tally.sent["hang-up"]} were called for, counted ${hung}`);
  for (const route of soakRoutes) expect(`runs of ${route} still under way`, 0, after[route].inflight);
  return faults;
}
