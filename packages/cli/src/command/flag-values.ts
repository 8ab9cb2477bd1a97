// Checks the value of a flag before the command runs, so that every command rejects a wrong value in the same way.
import { UsageError, type FlagDeclaration, type NumberRange } from "./declaration.ts";
import { assertKind } from "./value-kinds.ts";

/** The value that the command receives; throws a UsageError that says what the flag expects. */
export function readFlagValue(flag: FlagDeclaration, text: string): string {
  const name = `--${flag.name}`;
  if (text === "" && flag.allowsEmpty !== true) throw new UsageError(`${name} must not be empty: pass ${flag.values?.join(" or ") ?? `<${flag.value}>`}`);
  if (flag.number !== undefined && !isInRange(text, flag.number)) throw new UsageError(`${name} must be ${rangeText(flag.number)}, not '${text}'`);
  const unknown = flag.list === undefined ? undefined : text.split(",").find((item) => flag.list?.includes(item.trim()) !== true);
  if (unknown !== undefined) throw new UsageError(`invalid value '${unknown}' for ${name}: choose from ${flag.list?.join(", ")}, separated by commas`);
  assertKind(name, flag.kind, text);
  return flag.isTime === true ? readTime(name, text) : text;
}

function isInRange(text: string, { min, max = Infinity, allowsFractions = false }: NumberRange): boolean {
  const pattern = allowsFractions ? /^\d{1,15}(\.\d{1,15})?$/ : /^\d{1,15}$/;
  return pattern.test(text) && Number(text) >= min && Number(text) <= max;
}

function rangeText({ min, max, allowsFractions = false }: NumberRange): string {
  const noun = allowsFractions ? "a number" : "an integer";
  if (max !== undefined) return `${noun} from ${min} to ${max}`;
  return min === 1 && !allowsFractions ? "a positive integer" : `${noun} of ${min} or more`;
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time as the API expects it; `15m` is 15 minutes ago. */
function readTime(name: string, text: string): string {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const time = unit === undefined ? timeOf(text) : Date.now() - Number(count) * (unitMs[unit] as number);
  if (!Number.isFinite(time) || Math.abs(time) > 8.64e15)
    throw new UsageError(`${name} must be a time such as 2026-01-31T08:00:00Z, or an age such as 15m, 2h or 3d, not '${text}'`);
  return new Date(time).toISOString();
}

const timeOf = (text: string): number => (/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(text) ? Date.parse(text) : Number.NaN);
