import type { CommandDeclaration, FlagDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables, yesFlag } from "../../command/shared-flags.ts";
import { queryFlags } from "../../runtime/query-flags.ts";

const ids = [{ name: "ids", doc: "Ids of dead letters, as listed by `sluice dead-letters`.", many: true, kind: "dead letter" }] as const;
const replayId = [{ name: "replay", doc: "Id of the replay, which `sluice dead-letters replay` prints.", required: true, kind: "replay" }] as const;
const filters = queryFlags("DELETE /dead-letters");
const replayLimit: FlagDeclaration = {
  name: "limit",
  short: "n",
  value: "count",
  number: { min: 1, max: 10_000 },
  default: "1000",
  doc: "Replay at most this many, the oldest first.",
};

export const deadLetters: CommandDeclaration = {
  name: "dead-letters",
  summary: "List, show, replay and delete dead letters: messages that could not be processed.",
  details:
    "`replay` and `delete` take ids, or filters that select many. `delete` always asks first, `replay` only if filters select the dead letters. If one of the ids does not exist, nothing is changed. A replay runs the message through its route again; if it succeeds, the dead letter is removed.\n\nA replay by filters runs at the runtime and has an id: `show-replay` and `cancel-replay` work from another terminal too, and Ctrl-C cancels it. Dead letters whose replay has started are finished.",
  actions: [
    {
      name: "list",
      summary: "List dead letters, newest first.",
      flags: queryFlags("GET /dead-letters", { change: { limit: { short: "n" } } }),
      load: () => import("./list-dead-letters.ts"),
    },
    {
      name: "show",
      summary: "Show a dead letter with its error and its message.",
      arguments: [{ name: "id", doc: "Id of the dead letter.", required: true, kind: "dead letter" }],
      load: () => import("./show-dead-letter.ts"),
    },
    {
      name: "replay",
      summary: "Replay dead letters into their routes.",
      arguments: ids,
      flags: [...filters, replayLimit, yesFlag],
      load: () => import("./replay-dead-letters.ts"),
    },
    {
      name: "show-replay",
      summary: "Show the progress of a replay by filters.",
      arguments: replayId,
      load: async () => ({ run: (await import("./bulk-replay.ts")).showReplay }),
    },
    {
      name: "cancel-replay",
      summary: "Cancel a replay by filters.",
      arguments: replayId,
      load: async () => ({ run: (await import("./bulk-replay.ts")).cancelReplay }),
    },
    { name: "delete", summary: "Delete dead letters.", arguments: ids, flags: [...filters, yesFlag], load: () => import("./delete-dead-letters.ts") },
  ],
  flags: [jsonFlag, ...runtimeFlags],
  variables: runtimeVariables,
  examples: [
    { doc: "List the dead letters of a route", command: "sluice dead-letters --route orders" },
    { doc: "List those of the last two hours, as JSON", command: "sluice dead-letters --since 2h --json" },
    { doc: "Show one with its message", command: "sluice dead-letters show $DEAD_LETTER" },
    { doc: "Replay one", command: "sluice dead-letters replay $DEAD_LETTER" },
    { doc: "Replay all of a route, without being asked", command: "sluice dead-letters replay --route orders --yes" },
    { doc: "Show the progress of a replay that was started elsewhere", command: "sluice dead-letters show-replay $REPLAY" },
    { doc: "Cancel it", command: "sluice dead-letters cancel-replay $REPLAY" },
    { doc: "Delete one, without being asked", command: "sluice dead-letters delete $DEAD_LETTER --yes" },
    { doc: "Delete those that contain a text and are older than a week", command: "sluice dead-letters delete --text test-order --until 7d --yes" },
  ],
  exits: {
    0: "listed, shown, deleted, cancelled, or every replay completed",
    1: "a replay failed or was cancelled, the dead letter, replay, flow or route does not exist, nothing was confirmed, or the runtime is unreachable or rejected the token",
    2: "invalid command line, or --yes is missing where nobody can be asked",
  },
};
