// Who may ask: only pages of the designer itself. Browsers send Origin and Sec-Fetch-Site on their own, so a foreign page can
// neither omit nor forge them; a name that merely points at this machine (DNS rebinding) is told apart by the Host header.
import type { IncomingMessage } from "node:http";
import { HttpError } from "./http-error.ts";

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD"]);
const ownNames = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;
/** Types a plain HTML form can send; nothing of ours ever does. */
const formTypes = /^(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i;

export function refuseStrangers(request: IncomingMessage, isLocalOnly: boolean): void {
  const host = request.headers.host ?? "";
  if (isLocalOnly && !ownNames.test(host)) throw new HttpError(403, "this designer answers only to localhost; set DESIGNER_PASSWORD to open it to others");
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") throw new HttpError(403, "calls from other sites are refused");
  if (safeMethods.has(request.method ?? "")) return;
  const { origin } = request.headers;
  if (origin !== undefined && !isOwn(origin, host)) throw new HttpError(403, "calls from other sites are refused");
  const type = request.headers["content-type"];
  if (type !== undefined ? formTypes.test(type) : hasBody(request)) throw new HttpError(403, "send application/json: forms and plain text are refused");
}

function isOwn(origin: string, host: string): boolean {
  try {
    return new URL(origin).host.toLowerCase() === new URL(`http://${host}`).host.toLowerCase() && /^https?:/.test(origin);
  } catch {
    return false;
  }
}

const hasBody = (request: IncomingMessage): boolean => request.headers["transfer-encoding"] !== undefined || (request.headers["content-length"] ?? "0") !== "0";
