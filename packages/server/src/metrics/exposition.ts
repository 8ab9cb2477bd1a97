// Writes metrics in the Prometheus text format (version 0.0.4).

type Labels = Readonly<Record<string, string>>;
export type Sample = readonly [labels: Labels | undefined, value: number];

export interface HistogramSample {
  readonly labels: Labels;
  /** Counts per bucket, not cumulative. There is one bucket more than there are bounds. */
  readonly buckets: readonly number[];
  readonly sum: number;
}

export const expositionType = "text/plain; version=0.0.4; charset=utf-8";

export class Exposition {
  readonly #lines: string[] = [];

  gauge(name: string, help: string, samples: readonly Sample[]): void {
    this.#family(name, "gauge", help, samples);
  }

  counter(name: string, help: string, samples: readonly Sample[]): void {
    this.#family(name, "counter", help, samples);
  }

  histogram(name: string, help: string, bounds: readonly number[], samples: readonly HistogramSample[]): void {
    if (samples.length === 0) return;
    this.#head(name, "histogram", help);
    for (const { labels, buckets, sum } of samples) {
      const inner = labelText(labels);
      let total = 0;
      buckets.forEach((count, index) => {
        total += count;
        const bound = bounds[index];
        this.#lines.push(`${name}_bucket{${inner},le="${bound === undefined ? "+Inf" : String(bound)}"} ${total}`);
      });
      this.#lines.push(`${name}_sum{${inner}} ${numberText(sum)}`, `${name}_count{${inner}} ${total}`);
    }
  }

  get text(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  #family(name: string, type: string, help: string, samples: readonly Sample[]): void {
    if (samples.length === 0) return;
    this.#head(name, type, help);
    for (const [labels, value] of samples) this.#lines.push(`${name}${labels === undefined ? "" : `{${labelText(labels)}}`} ${numberText(value)}`);
  }

  #head(name: string, type: string, help: string): void {
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  }
}

/** Escapes label values. */
function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(
      ([name, value]) =>
        `${name}="${value
          .replaceAll("\\", String.raw`\\`)
          .replaceAll('"', String.raw`\"`)
          .replaceAll("\n", String.raw`\n`)}"`,
    )
    .join(",");
}

/** Rounds to nine decimal places to hide floating-point errors. */
const numberText = (value: number): string => (Number.isInteger(value) ? String(value) : String(Number(value.toFixed(9))));
