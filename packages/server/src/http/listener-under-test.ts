// For tests: a listener on a free port with the mounts of a test, and a management API that echoes the path segments.
import type { HttpMount, HttpReply, HttpRequest, Awaitable } from "@sluice/engine/spi";
import { createHttpBytes, type HttpBytes } from "./http-bytes.ts";
import { createIngress, type Ingress } from "./ingress.ts";
import type { IngressOptions } from "./ingress-options.ts";
import { createListener, type HttpListener } from "./listener.ts";
import { defaultHttpLimits, type HttpLimits } from "./limits.ts";
import type { ManagementHandler } from "./management.ts";

export interface ListenerUnderTest {
  readonly port: number;
  readonly listener: HttpListener;
  readonly ingress: Ingress;
  readonly bytes: HttpBytes;
  readonly faults: unknown[];
  mount(path: string, handle: (request: HttpRequest) => Awaitable<HttpReply>, more?: Partial<HttpMount>): () => void;
}

export interface TestOptions extends Partial<Omit<IngressOptions, "limits" | "bytes">> {
  readonly limits?: Partial<HttpLimits>;
  readonly management?: ManagementHandler;
  readonly fastPath?: boolean;
}

/** Replies with the path segments, or with 404 for other spellings of `/_api`, such as `/_API`. */
const echoSegments: ManagementHandler = (request, respond) => {
  if (request.segments === undefined) respond.error({ code: "not-found", message: "not found" });
  else respond.json(200, { segments: request.segments });
};

export async function startListener(options: TestOptions = {}): Promise<ListenerUnderTest> {
  const limits: HttpLimits = { ...defaultHttpLimits, checkIntervalMs: 50, ...options.limits };
  const faults: unknown[] = [];
  const reportFault = (fault: unknown): void => void faults.push(fault);
  const bytes = createHttpBytes(limits.maxBodyBytesHeld);
  const ingress = createIngress({ ...options, limits, bytes, reportFault });
  const listener = createListener({ limits, bytes, ingress, management: options.management ?? echoSegments, reportFault, fastPath: options.fastPath ?? true });
  const { port } = await listener.listen(0, "127.0.0.1");
  return {
    port,
    listener,
    ingress,
    bytes,
    faults,
    mount: (path, handle, more) =>
      ingress.port.mount({ path, handle, methods: undefined, prefix: false, flowId: "flow", routeId: path.slice(path.lastIndexOf("/") + 1), ...more }),
  };
}

/** A plain text reply. */
export function text(body: string, status = 200): HttpReply {
  return { status, headers: { "Content-Type": "text/plain; charset=utf-8" }, body };
}
