// Creates the span export from the settings; undefined unless a collector is configured.
import type { Clock, Log } from "@sluice/engine";
import { SettingsError, type Settings } from "../config.ts";
import { maskUris } from "../masking/secret-uris.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import { SpanExport } from "./span-export.ts";

export interface SpanExportParts {
  readonly settings: Settings;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: SecretValues;
}

export function openSpanExport({ settings, version, clock, log, secrets }: SpanExportParts): SpanExport | undefined {
  const { otlpEndpoint: endpoint, otlpHeaders, otlpRatio: ratio, otlpSpans: maxSpans } = settings;
  if (endpoint === undefined) return undefined;
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw new SettingsError([`SERVICE_OTLP_ENDPOINT: '${maskUris(endpoint)}' is not an http or https URL`]);
  const headers = headersOf(otlpHeaders ?? "");
  secrets.set("collector", Object.values(headers));
  const resource = { "service.name": "sluice", "service.version": version };
  return new SpanExport({ endpoint, headers, resource, maxSpans, ratio, clock, log, mask: (text) => secrets.scrub(maskUris(text)) });
}

/** Parses `name=value` pairs; values may be percent-encoded, as in OTEL_EXPORTER_OTLP_HEADERS. */
function headersOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const match = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/.exec(pair);
      if (match === null) throw new SettingsError(["SERVICE_OTLP_HEADERS: use comma-separated name=value pairs"]);
      return [match[1] as string, decodeValue((match[2] as string).trim())] as const;
    }),
  );
}

function decodeValue(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
