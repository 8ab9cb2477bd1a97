// Records the calls to a session's mocks in order: limited in number and bytes, secrets masked, bodies copied.
import type { Exchange, MockCalls, MockOutcome } from "@sluice/engine";
import { bodyTypeOf } from "@sluice/engine/values";
import { plainWithin, shownHeaders } from "../masking/preview.ts";
import { isCredentialHeader, isSecretHeader } from "../masking/secret-headers.ts";
import { maskUris } from "../masking/secret-uris.ts";
import type { SecretValues } from "../masking/secret-values.ts";

interface RecordedMessage {
  readonly body: unknown;
  readonly bodyType: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface RecordedCall {
  readonly seq: number;
  readonly mockId: string;
  readonly flowId: string;
  readonly routeId: string;
  readonly stepId: string | null;
  readonly uri: string | null;
  readonly runId: string;
  readonly at: string;
  readonly attempt: number;
  readonly request: RecordedMessage;
  outcome: "responded" | "threw" | "pending";
  response: unknown;
  error: { readonly type: string; readonly message: string } | null;
}

const maxBodyLength = 256 * 1_024;

export interface RecorderLimits {
  readonly maxCalls: number;
  readonly maxBytes: number;
  readonly now: () => number;
  readonly secrets: SecretValues;
}

export class CallRecorder implements MockCalls<RecordedCall> {
  readonly calls: RecordedCall[] = [];
  /** Number of calls, recorded or not. */
  count = 0;
  truncated = false;
  #bytes = 0;
  readonly #limits: RecorderLimits;

  constructor(limits: RecorderLimits) {
    this.#limits = limits;
  }

  /** Records a call before the mock acts; undefined when the limit is reached. */
  record(mockId: string, uri: string | undefined, exchange: Exchange): RecordedCall | undefined {
    const seq = ++this.count;
    const { maxCalls, maxBytes, now, secrets } = this.#limits;
    if (this.calls.length >= maxCalls || this.#bytes >= maxBytes) {
      this.truncated = true;
      return undefined;
    }
    const { run, message } = exchange;
    const request = maskSecrets(
      {
        body: plainWithin(message.body, maxBodyLength, secrets),
        bodyType: bodyTypeOf(message.body),
        headers: shownHeaders(message.headers, (name) => isSecret(name, exchange)),
      },
      secrets,
    );
    const call: RecordedCall = {
      seq,
      mockId,
      flowId: run.route.flowId,
      routeId: run.route.id,
      stepId: exchange.at?.id ?? null,
      uri: uri === undefined ? null : secrets.scrub(maskUris(uri)),
      runId: run.id,
      at: new Date(now()).toISOString(),
      attempt: exchange.attempt,
      request: request.value,
      outcome: "pending",
      response: null,
      error: null,
    };
    this.calls.push(call);
    this.#bytes += request.bytes + 500;
    return call;
  }

  finish(call: RecordedCall, outcome: MockOutcome): void {
    if (outcome.kind === "responded") {
      const { value, bytes } = maskSecrets(
        { ...outcome.response, body: plainWithin(outcome.response.body, maxBodyLength, this.#limits.secrets) },
        this.#limits.secrets,
      );
      call.outcome = "responded";
      call.response = value;
      this.#bytes += bytes;
    } else {
      call.outcome = "threw";
      call.error = { type: outcome.shownType, message: this.#limits.secrets.scrub(maskUris(outcome.error.message)) };
    }
  }
}

/** Received headers are checked by name; headers set by the route or test are shown, except credentials. */
function isSecret(name: string, { message }: Exchange): boolean {
  return message.headers.getOwn(name) === undefined ? isSecretHeader(name) : isCredentialHeader(name);
}

/** A value with masked secrets, and its size. */
function maskSecrets<T>(value: T, secrets: SecretValues): { readonly value: T; readonly bytes: number } {
  const json = JSON.stringify(value);
  const scrubbed = secrets.scrubJson(json);
  return { value: scrubbed === json ? value : (JSON.parse(scrubbed) as T), bytes: json.length * 2 };
}
