// Tests connection values: connects, does one round trip, and disconnects.
import { toFlowError, type ClientPackage, type ConnectionDeclaration, type Host } from "@sluice/engine/spi";

export type TestOutcome =
  | { readonly ok: true; readonly server: string; readonly ms: number }
  | { readonly ok: false; readonly error: string; readonly hint: string; readonly ms: number };

export interface TryParts {
  readonly host: Host;
  load<T>(clientPackage: ClientPackage): Promise<T>;
}

const testTimeoutMs = 10_000;

/** Opens, uses and closes a client. Rejects with the error of the server, or after ten seconds. */
export async function withClient<T>(
  declaration: ConnectionDeclaration,
  values: Readonly<Record<string, unknown>>,
  { host, load }: TryParts,
  use: (client: unknown, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const timeout = new Promise<never>((_resolve, reject) => abort.signal.addEventListener("abort", () => reject(abort.signal.reason as Error), { once: true }));
  const cancel = host.clock.after(testTimeoutMs, () => abort.abort(new Error(`no response within ${testTimeoutMs / 1_000} seconds`)));
  const opening = declaration.open(values as never, { host, signal: abort.signal, load, disconnected: () => undefined }) as Promise<unknown>;
  // Close a client that is opened after the timeout.
  opening.then(
    (client) => (abort.signal.aborted ? declaration.close(client).catch(() => undefined) : undefined),
    () => undefined,
  );
  try {
    const client = await Promise.race([opening, timeout]);
    try {
      return await Promise.race([use(client, abort.signal), timeout]);
    } finally {
      await declaration.close(client).catch(() => undefined);
    }
  } finally {
    cancel();
  }
}

export async function tryConnection(declaration: ConnectionDeclaration, values: Readonly<Record<string, unknown>>, parts: TryParts): Promise<TestOutcome> {
  const { clock } = parts.host;
  const startedAt = clock.monotonic();
  const ms = (): number => Math.round(clock.monotonic() - startedAt);
  try {
    const server = await withClient(declaration, values, parts, (client, signal) => declaration.check(client, signal));
    return { ok: true, server, ms: ms() };
  } catch (error) {
    const { message, code } = toFlowError(error);
    return { ok: false, error: message, hint: hintFor(code, error), ms: ms() };
  }
}

/** Returns a hint for the type of the failure. */
function hintFor(code: string, error: unknown): string {
  // Some clients report the code of the operating system only in their message.
  const system = /\bE(?:CONNREFUSED|NOTFOUND|AI_AGAIN|TIMEDOUT)\b/.exec((error as Error).message)?.[0] ?? systemCode(error);
  if (code === "client-missing") return "install the package with the command in the error";
  if (system === "ECONNREFUSED") return "no server is listening: check host and port, and that the server is running";
  if (system === "ENOTFOUND" || system === "EAI_AGAIN") return "the host name cannot be resolved: check its spelling";
  if (/TLS|SSL|CERT|SELF_SIGNED/i.test(system)) return "the server's certificate is not trusted: configure its certificate authority, or correct the host name";
  if (/auth|passw|login|denied|credential|role "/i.test(`${code} ${(error as Error).message}`))
    return "check the user name, the password and the user's permissions";
  if (system === "ETIMEDOUT" || /no response within/.test((error as Error).message)) return "the server does not respond: check the address and firewalls";
  return "check the values of the connection";
}

/** The error code of the innermost cause, from the operating system or TLS, such as ECONNREFUSED. */
function systemCode(error: unknown): string {
  let code = "";
  for (let cause = error; cause instanceof Error; cause = cause.cause) code = (cause as NodeJS.ErrnoException).code ?? code;
  return code;
}
