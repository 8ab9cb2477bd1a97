// Every command, in the order of the help.
import type { CommandDeclaration } from "../command/declaration.ts";
import { cluster } from "./cluster/cluster.ts";
import { completion } from "./completion/completion.ts";
import { connections } from "./connections/connections.ts";
import { deadLetters } from "./dead-letters/dead-letters.ts";
import { deploy } from "./deploy/deploy.ts";
import { designer } from "./designer/designer.ts";
import { dev } from "./dev/dev.ts";
import { doctor } from "./doctor/doctor.ts";
import { flows } from "./flows/flows.ts";
import { importCommand } from "./import/import.ts";
import { kamelets } from "./kamelets/kamelets.ts";
import { lint } from "./lint/lint.ts";
import { logs } from "./logs/logs.ts";
import { newCommand } from "./new/new.ts";
import { nodes } from "./nodes/nodes.ts";
import { record } from "./record/record.ts";
import { replay } from "./replay/replay.ts";
import { rollback } from "./rollback/rollback.ts";
import { routes } from "./routes/routes.ts";
import { run } from "./run/run.ts";
import { runs } from "./runs/runs.ts";
import { schema } from "./schema/schema.ts";
import { start } from "./start/start.ts";
import { status } from "./status/status.ts";
import { test } from "./test/test.ts";
import { trace } from "./trace/trace.ts";
import { versions } from "./versions/versions.ts";

export const commands: readonly CommandDeclaration[] = [
  start,
  run,
  dev,
  designer,
  cluster,
  newCommand,
  lint,
  test,
  deploy,
  versions,
  rollback,
  status,
  flows,
  routes,
  runs,
  deadLetters,
  connections,
  nodes,
  logs,
  trace,
  replay,
  record,
  importCommand,
  kamelets,
  doctor,
  schema,
  completion,
];
