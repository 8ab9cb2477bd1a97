// `date:` and `date-with-timezone:`.
import { FlowError, type Expression } from "@sluice/engine/spi";
import { asTime, compileDateFormat, defaultZone, zoneOf, type Zone } from "@sluice/engine/values";
import { parseDuration } from "@sluice/model";
import { headerReader, propertyReader, variableReader } from "../compile/access.ts";
import { atCompile, type SimpleScope } from "../compile/scope.ts";
import { syntaxError } from "../parse/scan.ts";

type Moment = (exchange: Parameters<Expression>[0]) => number;

/** The text after `date:`, which is `command` or `command:pattern`. */
export function dateFunction(text: string, offset: number, scope: SimpleScope): Expression {
  const colon = text.indexOf(":");
  const command = colon < 0 ? text : text.slice(0, colon);
  if (command === "millis") return () => scope.language.host.clock.now();
  const moment = compileMoment(command, offset, scope);
  if (colon < 0) return (exchange) => new Date(moment(exchange));
  return formatMoment(moment, text.slice(colon + 1), () => defaultZone(), offset);
}

/** The text after `date-with-timezone:`, which is `command:zone:pattern`. */
export function zonedDateFunction(text: string, offset: number, scope: SimpleScope): Expression {
  const match = /^([^:]*):((?:GMT|UTC)?[+-]\d{1,2}:\d{2}|[^:]*):(.+)$/s.exec(text);
  if (match === null) throw syntaxError("the zone or the pattern is missing", offset, "write ${date-with-timezone:now:UTC:yyyy-MM-dd}");
  const zone = zoneOf((match[2] as string).trim());
  return formatMoment(compileMoment(match[1] as string, offset, scope), match[3] as string, () => zone, offset);
}

function formatMoment(moment: Moment, pattern: string, zone: () => Zone, offset: number): Expression {
  const format = atCompile(offset, () => compileDateFormat(pattern));
  return (exchange) => format(moment(exchange), zone());
}

/** A point in time followed by offsets: `now-24h`, `header.x + 1h30m`. */
function compileMoment(command: string, offset: number, scope: SimpleScope): Moment {
  const match = /^((?:header|variable|exchangeProperty)\.(?:[^+\s-]|-(?!\s*\d))+|[A-Za-z]+)((?:\s*[+-]\s*[\w.]+)*)\s*$/.exec(command.trim());
  const start = match === null ? undefined : compileStart(match[1] as string, scope);
  if (match === null || start === undefined)
    throw syntaxError(
      `unknown date command '${command}'`,
      offset,
      "write now, millis, exchangeCreated, header.name, variable.name, exchangeProperty.name or file",
    );
  let shift = 0;
  for (const [, sign, amount] of (match[2] as string).matchAll(/([+-])\s*([\w.]+)/g)) {
    const duration = parseDuration(amount as string);
    if (duration === undefined) throw syntaxError(`'${amount}' is not a valid duration`, offset, "write 24h, 1h30m, 10s or milliseconds");
    shift += sign === "-" ? -duration : duration;
  }
  return shift === 0 ? start : (exchange) => start(exchange) + shift;
}

function compileStart(word: string, scope: SimpleScope): Moment | undefined {
  if (word === "now") return () => scope.language.host.clock.now();
  if (word === "exchangeCreated") return (exchange) => exchange.run.startedAt;
  if (word === "file") return fromValue(headerReader("CamelFileLastModified"), "header CamelFileLastModified");
  const named = /^(header|variable|exchangeProperty)\.(.+)$/.exec(word);
  if (named === null) return undefined;
  const name = named[2] as string;
  const reader = named[1] === "header" ? headerReader(name) : named[1] === "variable" ? variableReader(scope)(name) : propertyReader(name);
  return fromValue(reader, word);
}

function fromValue(read: Expression, description: string): Moment {
  return (exchange) => {
    const time = asTime(read(exchange));
    if (time === undefined)
      throw new FlowError("java.lang.IllegalArgumentException", `${description} is not a date: it must be a date, milliseconds since 1970 or ISO 8601 text`, {
        code: "simple-no-date",
      });
    return time;
  };
}
