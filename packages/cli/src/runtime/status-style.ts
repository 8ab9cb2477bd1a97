import type { RouteStatus } from "@sluice/client";
import type { Style } from "../terminal/terminal.ts";

/** How the status of a flow or a route is shown. */
export function statusStyle(status: RouteStatus): Style | undefined {
  if (status === "Failed") return "red";
  return status === "Started" ? "green" : "yellow";
}
