// Real servers for tests, each started on a free port, or an existing service of the machine if SLUICE_SERVERS allows it.
import { acceptsConnections, freePorts } from "./free-port.ts";
import { OwnServer } from "./own-server.ts";
import { findProgram, serverPrograms, type ServerName, type ServerProgram } from "./server-program.ts";

export interface TestServer {
  readonly name: ServerName;
  readonly host: string;
  readonly port: number;
  /** Kills the server without a clean shutdown; only for a server started by the test. */
  kill(): Promise<void>;
  /** Restarts the server on the same port and data; only for a server started by the test. */
  restart(): Promise<void>;
  /** Call this at the end of the test: stops a server started by the test and removes its data; an existing service is unaffected. */
  end(): Promise<void>;
}

/**
 * Returns a server with this name, or undefined when its program is not installed. Tests then skip themselves: `describe.skipIf(server === undefined)`
 * with a title that ends in `(needs …)`. SLUICE_SERVERS changes this: with `required` it throws instead, with `running` it prefers a service that runs
 * on the usual port and requires no credentials. `own` requests a server that only this test uses and may kill. With `isDurable: false` it may lose
 * its data when it is killed, which makes it faster.
 */
export async function serverFor(
  name: ServerName,
  { own = false, isDurable = true }: { readonly own?: boolean; readonly isDurable?: boolean } = {},
): Promise<TestServer | undefined> {
  const program: ServerProgram = serverPrograms[name];
  const modes = (process.env["SLUICE_SERVERS"] ?? "").split(",");
  if (modes.includes("running") && !own && program.servicePort !== undefined && (await acceptsConnections(program.servicePort)))
    return service(name, program.servicePort);
  const missing = program.programs.filter((needed) => findProgram(needed) === undefined);
  if (missing.length === 0) return startOwn(name, program, isDurable);
  const problem = `tests with ${program.title} need the program ${missing.join(" and ")}`;
  if (modes.includes("required")) throw new Error(`${problem}; they are skipped when SLUICE_SERVERS is not 'required'`);
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

function service(name: ServerName, port: number): TestServer {
  const rejectShared = (): never => {
    throw new Error(`the ${name} server on port ${port} is shared: use {own: true} to start a separate one`);
  };
  return { name, host: "127.0.0.1", port, kill: rejectShared, restart: rejectShared, end: async () => undefined };
}
