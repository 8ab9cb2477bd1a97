// One webhook request on its way to its route: the access check on the head, the body, the check of its signature,
// inflating, the route, the reply. Synchronous wherever nothing has to be waited for.
import { randomBytes } from "node:crypto";
import type { HttpReply, HttpRequest, SessionTag } from "@sluice/engine/spi";
import type { AccessCheck, AccessGranted, AccessNeedsBody, AccessRefused, AccessRequest } from "./access.ts";
import type { Arrival } from "./arrival.ts";
import { inflateBody, type BodyReceiver } from "./body.ts";
import type { HttpError } from "./http-error.ts";
import { joinedHeaders } from "./joined-headers.ts";
import type { IngressOptions } from "./ingress-options.ts";
import type { Mounted } from "./mount-table.ts";
import { withoutQueryValues } from "./query-values.ts";

const nothing = Buffer.alloc(0);

/** Stands for the arrival of a call that has had its reply. */
const answered: Arrival = {
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
  body: Uint8Array = nothing;
  principal: unknown = undefined;
  session: SessionTag | undefined = undefined;
  readonly rawHeaders: readonly string[];
  #arrival: Arrival;
  readonly #mounted: Mounted;
  readonly #options: IngressOptions;
  readonly #finished: (mounted: Mounted) => void;
  #signed: AccessNeedsBody | undefined = undefined;
  #replyHeaders: Readonly<Record<string, string>> | undefined = undefined;
  hidden: readonly string[] | undefined = undefined;
  #access: AccessCheck | undefined = undefined;

  constructor(
    arrival: Arrival,
    mounted: Mounted,
    path: string,
    params: Readonly<Record<string, string>>,
    options: IngressOptions,
    finished: (mounted: Mounted) => void,
  ) {
    this.#arrival = arrival;
    this.#mounted = mounted;
    this.#options = options;
    this.#finished = finished;
    this.method = arrival.method;
    this.rawHeaders = arrival.rawHeaders;
    this.path = path;
    this.query = arrival.query;
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
    return this.#arrival.remoteAddress;
  }

  begin(): void {
    try {
      const access = (this.#access = this.#options.accessOf?.(this.flowId));
      if (access === undefined) {
        this.#admitted();
        return;
      }
      const verdict = access.check(this);
      if (verdict instanceof Promise) verdict.then((later) => this.#judged(later)).catch((fault: unknown) => this.#fault(fault));
      else this.#judged(verdict);
    } catch (fault) {
      this.#fault(fault);
    }
  }

  received(body: Buffer): void {
    try {
      const access = this.#options.accessOf?.(this.flowId);
      if (access !== this.#access) this.#judgeAgain(access, body);
      else if (this.#signed === undefined) this.#unpack(body);
      else {
        const verdict = this.#signed.check(body);
        if (verdict instanceof Promise) verdict.then((later) => this.#verified(later, body)).catch((fault: unknown) => this.#fault(fault));
        else this.#verified(verdict, body);
      }
    } catch (fault) {
      this.#fault(fault);
    }
  }

  refused(error: HttpError): void {
    this.#arrival.refuse(error.status, error.message, this.#withReplyHeaders(error.headers));
    this.#finished(this.#mounted);
  }

  abandoned(): void {
    this.#finished(this.#mounted);
  }

  #judged(verdict: AccessGranted | AccessRefused | AccessNeedsBody): void {
    if (verdict.kind === "refused") {
      this.#turnAway(verdict);
      return;
    }
    if (verdict.kind === "granted") this.#grant(verdict);
    else {
      this.#signed = verdict;
      this.#replyHeaders = verdict.replyHeaders;
    }
    this.#admitted();
  }

  /** The policy changed while the body came in: what was decided before counts no more. */
  #judgeAgain(access: AccessCheck | undefined, body: Buffer): void {
    this.#access = access;
    this.#signed = undefined;
    if (access === undefined) {
      this.#unpack(body);
      return;
    }
    const decide = async (): Promise<void> => {
      const verdict = await access.check(this);
      this.#verified(verdict.kind === "needs-body" ? await verdict.check(body) : verdict, body);
    };
    decide().catch((fault: unknown) => this.#fault(fault));
  }

  #verified(verdict: AccessGranted | AccessRefused, body: Buffer): void {
    if (verdict.kind === "refused") {
      this.#turnAway(verdict, body);
      return;
    }
    this.#grant(verdict);
    this.#unpack(body);
  }

  #grant(granted: AccessGranted): void {
    this.principal = granted.principal;
    this.#replyHeaders = granted.replyHeaders;
    this.hidden = granted.hide;
    if (granted.hideQuery !== undefined && this.query !== "") this.query = withoutQueryValues(this.query, granted.hideQuery);
  }

  #turnAway(refusal: AccessRefused, body?: Buffer): void {
    if (this.#options.appeal === undefined) this.#arrival.refuse(refusal.status, refusal.error, this.#withReplyHeaders(refusal.headers));
    else this.#options.appeal(this.#arrival, body);
    this.#finished(this.#mounted);
  }

  #admitted(): void {
    const { session } = this.#arrival;
    if (session !== "") {
      const found = this.#options.sessionOf?.(session);
      if (found === undefined || found === "expired") {
        const [status, what] = found === undefined ? ([404, "not found"] as const) : ([410, "expired"] as const);
        this.#turnAway({ kind: "refused", status, error: `test session '${session.slice(0, 100)}' ${what}` });
        return;
      }
      this.session = found;
    }
    this.#arrival.readBody(this);
  }

  #unpack(body: Buffer): void {
    const { encoding } = this.#arrival;
    if (encoding === "" || body.length === 0) {
      this.#run(body);
      return;
    }
    inflateBody(body, encoding, this.#options.limits.maxBodyBytes, (error, inflated) => {
      if (error !== undefined) {
        this.refused(error);
        return;
      }
      // The route gets the plain bytes; these two would describe the packed ones.
      this.hidden = [...(this.hidden ?? []), "content-encoding", "content-length"];
      this.#run(inflated);
    });
  }

  #run(body: Buffer): void {
    this.body = body;
    try {
      const reply = this.#mounted.mount.handle(this);
      if (reply instanceof Promise) reply.then((later) => this.#answer(later)).catch((fault: unknown) => this.#fault(fault));
      else this.#answer(reply);
    } catch (fault) {
      this.#fault(fault);
    }
  }

  #answer(reply: HttpReply): void {
    const headers = this.#replyHeaders === undefined ? reply.headers : { ...reply.headers, ...this.#replyHeaders };
    this.#arrival.reply(reply.status, headers, reply.body);
    // The message, and with it this call, may be remembered for a while; node's request and response need not be.
    this.#arrival = answered;
    this.#finished(this.#mounted);
  }

  /** A refusal is a reply, too: without them a page could not read what was wrong. */
  #withReplyHeaders(headers: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> | undefined {
    return this.#replyHeaders === undefined ? headers : { ...this.#replyHeaders, ...headers };
  }

  #fault(fault: unknown): void {
    const reference = randomBytes(6).toString("hex");
    this.#options.reportFault(fault, reference);
    this.#arrival.refuse(500, `internal error (ref ${reference})`, this.#withReplyHeaders(undefined));
    this.#finished(this.#mounted);
  }
}
