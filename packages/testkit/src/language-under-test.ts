import type { Exchange, Host, LanguageDeclaration, LanguageScope } from "@sluice/engine/spi";
import { FakeHost } from "./fake-host.ts";
import { exchangeOf, routeIdentity } from "./fake-route-input.ts";

export interface LanguageInput {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, string>>;
}

/** A language for tests: each call compiles the text and evaluates it on a message. */
export function languageUnderTest(language: LanguageDeclaration, options: { readonly host?: Host; readonly languages?: readonly LanguageDeclaration[] } = {}) {
  const scope: LanguageScope = {
    host: options.host ?? new FakeHost(),
    route: routeIdentity(),
    property: () => undefined,
    language: (name) => options.languages?.find((candidate) => candidate.name === name),
    bean: () => undefined,
  };
  return {
    scope,
    evaluate: (text: string, input: LanguageInput = {}): unknown => language.compile(text, input.options ?? {}, scope)(toExchange(input)),
    matches: (text: string, input: LanguageInput = {}): unknown =>
      (language.compilePredicate ?? language.compile).call(language, text, input.options ?? {}, scope)(toExchange(input)),
  };
}

function toExchange(input: LanguageInput): Exchange {
  const exchange = exchangeOf(input.body ?? null, input.headers);
  for (const [name, value] of Object.entries(input.properties ?? {})) exchange.setProperty(name, value);
  for (const [name, value] of Object.entries(input.variables ?? {})) exchange.setVariable(name, value);
  return exchange;
}
