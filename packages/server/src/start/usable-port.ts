import { createServer, type AddressInfo } from "node:net";

/**
 * The port, or a free one for 0; throws what listening on the address would throw. Asked before a start creates anything, so that a start that is
 * refused for its address leaves nothing behind. Another process may take the port before the runtime listens.
 */
export function usablePort({ port, host }: { readonly port: number; readonly host: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    // A caller that does not wait for the start would keep the server open.
    const server = createServer((socket) => socket.destroy());
    server.once("error", reject);
    server.listen({ port, host }, () => {
      const { port: found } = server.address() as AddressInfo;
      server.close(() => resolve(found));
    });
  });
}
