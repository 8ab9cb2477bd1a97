// Errors of a server that cannot listen, as a sentence that says what to do.
import { busyPortText, nextFreePort } from "./busy-port.ts";

/** The flags that select the address. */
export interface AddressFlags {
  readonly port: string;
  readonly host: string;
}

export const runtimeAddress: AddressFlags = { port: "--port", host: "--host" };
/** Of the designer in a command that also starts a runtime. */
export const designerAddress: AddressFlags = { port: "--designer-port", host: "DESIGNER_HOST" };

/** Undefined for other errors. */
export async function listenErrorText(error: unknown, { port: portFlag, host: hostFlag }: AddressFlags): Promise<string | undefined> {
  const { code, port, address, hostname } = error as NodeJS.ErrnoException & { readonly port?: number; readonly address?: string; readonly hostname?: string };
  if (code === "EADDRINUSE" && port !== undefined) {
    const free = await nextFreePort(port, address ?? "127.0.0.1");
    return `${busyPortText(port)}: stop that process, or choose another port with ${portFlag} ${free}`;
  }
  if (code === "EACCES" && port !== undefined) return `no permission to listen on port ${port}: choose a port above 1023 with ${portFlag}`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `cannot listen on '${hostname ?? address}', which is not an address of this machine: choose another one with ${hostFlag}`;
  return undefined;
}
