// Allows only requests from pages of the designer. Browsers set Origin and Sec-Fetch-Site, so another page can neither omit nor forge them. The Host
// header reveals DNS rebinding.
import type { IncomingMessage } from "node:http";
import { HttpError } from "./http-error.ts";

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD"]);
const localHosts = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;
/** Content types that an HTML form can send; the designer never uses them. */
const formTypes = /^(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i;

export function assertSameOrigin(request: IncomingMessage, isLocalOnly: boolean): void {
  const host = request.headers.host ?? "";
  if (isLocalOnly && !localHosts.test(host))
    throw new HttpError(403, "this designer accepts requests for localhost only; set DESIGNER_PASSWORD to allow other hosts");
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") throw new HttpError(403, "cross-site requests are rejected");
  if (safeMethods.has(request.method ?? "")) return;
  const { origin } = request.headers;
  if (origin !== undefined && !isOwnOrigin(origin, host)) throw new HttpError(403, "cross-site requests are rejected");
  const type = request.headers["content-type"];
  if (type !== undefined ? formTypes.test(type) : hasBody(request)) throw new HttpError(403, "unsupported content type: use application/json");
}

function isOwnOrigin(origin: string, host: string): boolean {
  try {
    return new URL(origin).host.toLowerCase() === new URL(`http://${host}`).host.toLowerCase() && /^https?:/.test(origin);
  } catch {
    return false;
  }
}

const hasBody = (request: IncomingMessage): boolean => request.headers["transfer-encoding"] !== undefined || (request.headers["content-length"] ?? "0") !== "0";
