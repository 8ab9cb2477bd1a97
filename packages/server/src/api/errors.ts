// The one place where a refusal becomes a status.
import type { RefusalCode } from "../refusal.ts";

export const statusOf = {
  unauthorized: 401,
  "token-unconfigured": 503,
  forbidden: 403,
  "not-found": 404,
  gone: 410,
  "method-not-allowed": 405,
  "body-invalid": 400,
  "id-invalid": 400,
  "query-invalid": 400,
  "yaml-invalid": 400,
  "body-too-large": 413,
  "media-unsupported": 415,
  "flow-invalid": 422,
  "flow-start-failed": 422,
  "tests-failed": 422,
  "document-invalid": 422,
  conflict: 409,
  changed: 412,
  "too-many": 429,
  draining: 503,
  saturated: 503,
  "storage-full": 507,
  "storage-refused": 500,
  internal: 500,
} as const satisfies Record<RefusalCode, number>;
