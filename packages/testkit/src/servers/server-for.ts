// Real servers for tests, each started on a free port.
import { freePorts } from "./free-port.ts";
import { OwnServer } from "./own-server.ts";
import { findProgram, serverPrograms, type ServerName, type ServerProgram } from "./server-program.ts";

export interface TestServer {
  readonly name: ServerName;
  readonly host: string;
  readonly port: number;
  /** Kills the server without a clean shutdown; only for a server of its own. */
  kill(): Promise<void>;
  /** Restarts the server on the same port and data; only for a server of its own. */
  restart(): Promise<void>;
  /** Call this at the end of the test: stops a server of its own and removes its data. A shared server ends with the process. */
  end(): Promise<void>;
}

/** Starting a server takes longer than most tests: the test files that run in one process share these. */
const shared = new Map<ServerName, Promise<TestServer>>();

/**
 * Returns a server with this name, or undefined when its program is not installed. Tests then skip themselves: `describe.skipIf(server === undefined)`
 * with a title that ends in `(needs …)`; with SLUICE_SERVERS=required it throws instead. Other test files may use the same server, so choose names that
 * they do not use. `own` requests a server that only this test uses and may kill; with `isDurable: false` it may lose its data then, which makes it
 * faster.
 */
export async function serverFor(
  name: ServerName,
  { own = false, isDurable = true }: { readonly own?: boolean; readonly isDurable?: boolean } = {},
): Promise<TestServer | undefined> {
  const program: ServerProgram = serverPrograms[name];
  const missing = program.programs.filter((needed) => findProgram(needed) === undefined);
  if (missing.length === 0) return own ? startOwn(name, program, isDurable) : startShared(name, program);
  const problem = `tests with ${program.title} need the program ${missing.join(" and ")}`;
  if (process.env["SLUICE_SERVERS"] === "required") throw new Error(`${problem}; they are skipped when SLUICE_SERVERS is not 'required'`);
  process.stderr.write(`Skipped: ${problem}\n`);
  return undefined;
}

/** Tries twice: on a busy machine the preparation of a server may fail, or another process may take the port first. */
function startOwn(name: ServerName, program: ServerProgram, isDurable: boolean): Promise<TestServer> {
  return startOnce(name, program, isDurable).catch(() => startOnce(name, program, isDurable));
}

async function startOnce(name: ServerName, program: ServerProgram, isDurable: boolean): Promise<TestServer> {
  const server = new OwnServer(
    isDurable ? program : { ...program, ...program.notDurable },
    await freePorts(1 + (program.extraPorts ?? 0)),
    (needed) => findProgram(needed) as string,
  );
  try {
    await server.start();
  } catch (error) {
    await server.remove();
    throw error;
  }
  return {
    name,
    host: "127.0.0.1",
    get port() {
      return server.port;
    },
    kill: () => server.kill(),
    restart: async () => {
      await server.stop();
      await server.start();
    },
    end: () => server.remove(),
  };
}

function startShared(name: ServerName, program: ServerProgram): Promise<TestServer> {
  let starting = shared.get(name);
  if (starting === undefined) shared.set(name, (starting = startOwn(name, program, false).then(withoutEnd)));
  return starting;
}

function withoutEnd({ name, host, port }: TestServer): TestServer {
  const reject = async (): Promise<never> => {
    throw new Error(`the ${name} server is shared with other test files: use {own: true} to start a separate one`);
  };
  return { name, host, port, kill: reject, restart: reject, end: async () => undefined };
}
