const longest = 32;

/**
 * The ids of one run, as bytes in one place: texts that are new with every run would have to be copied by the garbage collector for as
 * long as the run is kept. Ids are ASCII; of the ones that are longer than ours the text is kept.
 */
export class KeptIds {
  /** Not from node's pool: a piece of it keeps all the eight kilobytes it was cut from. */
  readonly #bytes = Buffer.allocUnsafeSlow(longest * 3);
  #run = 0;
  #exchange = 0;
  #trace = 0;
  #long: readonly [run: string, exchange: string, trace: string | undefined] | undefined = undefined;

  keep(run: string, exchange: string, trace: string | undefined): void {
    if (run.length > longest || exchange.length > longest || (trace !== undefined && trace.length > longest)) {
      this.#long = [run, exchange, trace];
      return;
    }
    this.#long = undefined;
    this.#run = this.#bytes.write(run, 0, "latin1");
    this.#exchange = this.#bytes.write(exchange, longest, "latin1");
    this.#trace = trace === undefined ? 0 : this.#bytes.write(trace, longest * 2, "latin1");
  }

  get run(): string {
    return this.#long?.[0] ?? this.#bytes.toString("latin1", 0, this.#run);
  }

  get exchange(): string {
    return this.#long?.[1] ?? this.#bytes.toString("latin1", longest, longest + this.#exchange);
  }

  get trace(): string | undefined {
    if (this.#long !== undefined) return this.#long[2];
    return this.#trace === 0 ? undefined : this.#bytes.toString("latin1", longest * 2, longest * 2 + this.#trace);
  }
}
