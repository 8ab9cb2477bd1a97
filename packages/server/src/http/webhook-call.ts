// Processes one webhook request: access check on the head, body, signature check, decompression, route, reply. Steps are
// synchronous where possible.
import { randomBytes } from "node:crypto";
import type { HttpReply, HttpRequest, SessionTag } from "@sluice/engine/spi";
import type { AccessCheck, AccessGranted, AccessNeedsBody, AccessDenied, AccessRequest } from "./access.ts";
import type { ErrorReply } from "../service-error.ts";
import type { InboundRequest } from "./inbound-request.ts";
import type { BodyReceiver } from "./body.ts";
import { joinedHeaders } from "./joined-headers.ts";
import type { IngressOptions } from "./ingress-options.ts";
import type { Mounted } from "./mount-table.ts";
import { withoutQueryValues } from "./query-values.ts";

const emptyBody = Buffer.alloc(0);

/** Replaces the request of a call after its reply. */
const releasedRequest: InboundRequest = {
  method: "",
  query: "",
  rawHeaders: [],
  remoteAddress: "",
  encoding: "",
  session: "",
  readBody: () => undefined,
  reply: () => undefined,
  refuse: () => undefined,
};

export class WebhookCall implements HttpRequest, AccessRequest, BodyReceiver {
  readonly method: string;
  readonly path: string;
  query: string;
  readonly params: Readonly<Record<string, string>>;
  body: Uint8Array = emptyBody;
  principal: unknown = undefined;
  session: SessionTag | undefined = undefined;
  readonly rawHeaders: readonly string[];
  #inbound: InboundRequest;
  readonly #mounted: Mounted;
  readonly #options: IngressOptions;
  readonly #finished: (mounted: Mounted) => void;
  #bodyCheck: AccessNeedsBody | undefined = undefined;
  #replyHeaders: Readonly<Record<string, string>> | undefined = undefined;
  hidden: readonly string[] | undefined = undefined;
  #access: AccessCheck | undefined = undefined;
  /** Bytes taken from the memory budget. */
  #heldBytes = 0;

  constructor(
    inbound: InboundRequest,
    mounted: Mounted,
    path: string,
    params: Readonly<Record<string, string>>,
    options: IngressOptions,
    finished: (mounted: Mounted) => void,
  ) {
    this.#inbound = inbound;
    this.#mounted = mounted;
    this.#options = options;
    this.#finished = finished;
    this.method = inbound.method;
    this.rawHeaders = inbound.rawHeaders;
    this.path = path;
    this.query = inbound.query;
    this.params = params;
  }

  get headers(): Readonly<Record<string, string | string[] | undefined>> {
    return joinedHeaders(this.rawHeaders, this.hidden);
  }

  get flowId(): string {
    return this.#mounted.mount.flowId;
  }

  get routeId(): string {
    return this.#mounted.mount.routeId;
  }

  get remoteAddress(): string {
    return this.#inbound.remoteAddress;
  }

  begin(): void {
    try {
      const access = (this.#access = this.#options.accessOf?.(this.flowId));
      if (access === undefined) {
        this.#readBody();
        return;
      }
      const decision = access.check(this);
      if (decision instanceof Promise) decision.then((resolved) => this.#applyDecision(resolved)).catch((fault: unknown) => this.#fault(fault));
      else this.#applyDecision(decision);
    } catch (fault) {
      this.#fault(fault);
    }
  }

  received(body: Buffer): void {
    this.#heldBytes = body.length;
    try {
      const access = this.#options.accessOf?.(this.flowId);
      if (access !== this.#access) this.#checkAgain(access, body);
      else if (this.#bodyCheck === undefined) this.#decompress(body);
      else {
        const decision = this.#bodyCheck.check(body);
        if (decision instanceof Promise) decision.then((resolved) => this.#applyBodyDecision(resolved, body)).catch((fault: unknown) => this.#fault(fault));
        else this.#applyBodyDecision(decision, body);
      }
    } catch (fault) {
      this.#fault(fault);
    }
  }

  refused(error: ErrorReply): void {
    this.#refuse(error);
    this.#end();
  }

  abandoned(): void {
    this.#end();
  }

  #end(): void {
    if (this.#heldBytes > 0) this.#releaseBody();
    this.#finished(this.#mounted);
  }

  #releaseBody(): void {
    this.#options.bytes.held.release(this.#heldBytes);
    this.#heldBytes = 0;
  }

  #applyDecision(decision: AccessGranted | AccessDenied | AccessNeedsBody): void {
    if (decision.kind === "denied") {
      this.#deny(decision);
      return;
    }
    if (decision.kind === "granted") this.#grant(decision);
    else {
      this.#bodyCheck = decision;
      this.#replyHeaders = decision.replyHeaders;
    }
    this.#readBody();
  }

  /** The policy changed while the body was read: check again. */
  #checkAgain(access: AccessCheck | undefined, body: Buffer): void {
    this.#access = access;
    this.#bodyCheck = undefined;
    if (access === undefined) {
      this.#decompress(body);
      return;
    }
    const decide = async (): Promise<void> => {
      const decision = await access.check(this);
      this.#applyBodyDecision(decision.kind === "needs-body" ? await decision.check(body) : decision, body);
    };
    decide().catch((fault: unknown) => this.#fault(fault));
  }

  #applyBodyDecision(decision: AccessGranted | AccessDenied, body: Buffer): void {
    if (decision.kind === "denied") {
      this.#deny(decision, body);
      return;
    }
    this.#grant(decision);
    this.#decompress(body);
  }

  #grant(granted: AccessGranted): void {
    this.principal = granted.principal;
    this.#replyHeaders = granted.replyHeaders;
    this.hidden = granted.hide;
    if (granted.hideQuery !== undefined && this.query !== "") this.query = withoutQueryValues(this.query, granted.hideQuery);
  }

  #deny(denied: AccessDenied, body?: Buffer): void {
    if (this.#options.forwardRefused === undefined) this.#refuse(denied);
    else this.#options.forwardRefused(this.#inbound, body);
    this.#end();
  }

  #readBody(): void {
    const { session } = this.#inbound;
    if (session !== "") {
      const found = this.#options.sessionOf?.(session);
      if (found === undefined || found === "expired") {
        const [code, problem] = found === undefined ? (["not-found", "not found"] as const) : (["gone", "expired"] as const);
        this.#deny({ kind: "denied", code, message: `test session '${session.slice(0, 100)}' ${problem}` });
        return;
      }
      this.session = found;
    }
    this.#inbound.readBody(this);
  }

  #decompress(body: Buffer): void {
    const { encoding } = this.#inbound;
    if (encoding === "" || body.length === 0) {
      this.#run(body);
      return;
    }
    const { bytes, limits } = this.#options;
    bytes.inflation.inflate({ bytes: body, encoding, limitBytes: limits.maxBodyBytes }, (error, inflated) => {
      if (error !== undefined) {
        this.refused(error);
        return;
      }
      this.#releaseBody();
      this.#heldBytes = inflated.length;
      // The route gets decompressed bytes; these headers describe the compressed ones.
      this.hidden = [...(this.hidden ?? []), "content-encoding", "content-length"];
      this.#run(inflated);
    });
  }

  #run(body: Buffer): void {
    this.body = body;
    try {
      const reply = this.#mounted.mount.handle(this);
      if (reply instanceof Promise) reply.then((resolved) => this.#sendReply(resolved)).catch((fault: unknown) => this.#fault(fault));
      else this.#sendReply(reply);
    } catch (fault) {
      this.#fault(fault);
    }
  }

  #sendReply(reply: HttpReply): void {
    const headers = this.#replyHeaders === undefined ? reply.headers : { ...reply.headers, ...this.#replyHeaders };
    this.#inbound.reply(reply.status, headers, reply.body);
    // The stored run keeps this call in memory, but node's request and response can be released.
    this.#inbound = releasedRequest;
    if (reply.runEnds !== undefined && this.#heldBytes > 0) this.#releaseAfter(reply.runEnds);
    this.#end();
  }

  /** Releases the body when the run ends, for a run that continues after its reply. */
  #releaseAfter(runEnds: Promise<unknown>): void {
    const { held } = this.#options.bytes;
    const bytes = this.#heldBytes;
    this.#heldBytes = 0;
    const release = (): void => held.release(bytes);
    runEnds.then(release, release);
  }

  /** Adds the CORS headers to errors too; otherwise a page could not read them. */
  #refuse({ code, message, headers }: ErrorReply): void {
    this.#inbound.refuse({ code, message, headers: this.#replyHeaders === undefined ? headers : { ...this.#replyHeaders, ...headers } });
  }

  #fault(fault: unknown): void {
    const reference = randomBytes(6).toString("hex");
    this.#options.reportFault(fault, reference);
    this.#refuse({ code: "internal", message: `internal error (ref ${reference})` });
    this.#end();
  }
}
