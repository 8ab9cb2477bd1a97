// The objects behind the Groovy variables `exchange`, `message`, `request` and `headers`, with their properties and methods.
import type { Exchange } from "@sluice/engine/spi";
import { asText, findConversion, isStream } from "@sluice/engine/values";
import type { Methods } from "./groovy-methods.ts";
import { fault, groovyText } from "./groovy-operators.ts";

/** Case-insensitive access to the headers by property, by index and with {@link headersMethods}. Other methods use a copy, which is case-sensitive. */
export class HeadersView {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  get(name: string): unknown {
    return this.#exchange.message.headers.get(name) ?? null;
  }

  has(name: string): boolean {
    return this.#exchange.message.headers.has(name);
  }

  set(name: string, value: unknown): void {
    this.#exchange.message.headers.set(name, value);
  }

  toObject(): Readonly<Record<string, unknown>> {
    return this.#exchange.message.headers.toObject();
  }
}

export class MessageView {
  readonly exchange: Exchange;
  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }
}

export class ExchangeView {
  readonly exchange: Exchange;
  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }
}

/** Received bytes are text for a script, as in Camel's HTTP components. */
export function bodyOf({ message: { body } }: Exchange): unknown {
  if (isStream(body)) throw fault("org.apache.camel.ExpressionEvaluationException", "groovy cannot read a stream: add convertBodyTo: String before it");
  return body instanceof Uint8Array ? asText(body) : (body ?? null);
}

const mapOf = (values: ReadonlyMap<string, unknown> | undefined): ReadonlyMap<string, unknown> => values ?? new Map();

/** Converts to the class that is the last parameter of `getBody(String)` and similar methods; the compiler passes the name of the class. */
function convertTo(value: unknown, type: unknown): unknown {
  const conversion = typeof type === "string" ? findConversion(type) : undefined;
  return conversion === undefined || value === null ? value : conversion(value);
}

export const messageMembers: Readonly<Record<string, (view: MessageView) => unknown>> = {
  body: ({ exchange }) => bodyOf(exchange),
  headers: ({ exchange }) => new HeadersView(exchange),
  exchange: ({ exchange }) => new ExchangeView(exchange),
  messageId: ({ exchange }) => exchange.id,
};

export const exchangeMembers: Readonly<Record<string, (view: ExchangeView) => unknown>> = {
  message: ({ exchange }) => new MessageView(exchange),
  in: ({ exchange }) => new MessageView(exchange),
  properties: ({ exchange }) => mapOf(exchange.properties),
  allProperties: ({ exchange }) => mapOf(exchange.properties),
  variables: ({ exchange }) => mapOf(exchange.variables),
  exchangeId: ({ exchange }) => exchange.id,
  fromRouteId: ({ exchange }) => exchange.run.route.id,
  exception: ({ exchange }) => exchange.caught ?? null,
};

export const headersMethods: Methods<HeadersView> = {
  get: (headers, [name, fallback]) => headers.get(groovyText(name)) ?? fallback ?? null,
  getAt: (headers, [name]) => headers.get(groovyText(name)),
  getOrDefault: (headers, [name, fallback]) => headers.get(groovyText(name)) ?? fallback ?? null,
  containsKey: (headers, [name]) => headers.has(groovyText(name)),
};

export const messageMethods: Methods<MessageView> = {
  getBody: ({ exchange }, [type]) => convertTo(bodyOf(exchange), type),
  getHeader: ({ exchange }, [name, type]) => convertTo(exchange.message.headers.get(groovyText(name)) ?? null, type),
  getHeaders: ({ exchange }) => new HeadersView(exchange),
  setBody: ({ exchange }, [body]) => void (exchange.message.body = body),
  setHeader: ({ exchange }, [name, value]) => exchange.message.headers.set(groovyText(name), value),
  removeHeader: ({ exchange }, [name]) => exchange.message.headers.delete(groovyText(name)),
};

export const exchangeMethods: Methods<ExchangeView> = {
  getMessage: ({ exchange }) => new MessageView(exchange),
  getIn: ({ exchange }) => new MessageView(exchange),
  getProperty: ({ exchange }, [name, type]) => convertTo(exchange.property(groovyText(name)) ?? null, type),
  getProperties: ({ exchange }) => mapOf(exchange.properties),
  getVariable: ({ exchange }, [name, type]) => convertTo(exchange.variables?.get(groovyText(name)) ?? null, type),
  getExchangeId: ({ exchange }) => exchange.id,
  setProperty: ({ exchange }, [name, value]) => exchange.setProperty(groovyText(name), value),
  setVariable: ({ exchange }, [name, value]) => void (exchange.variables ??= new Map()).set(groovyText(name), value),
  removeProperty: ({ exchange }, [name]) => exchange.removeProperty(groovyText(name)),
};
