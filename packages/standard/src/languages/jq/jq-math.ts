import { expectNumber } from "./jq-values.ts";
import type { ValueFunction } from "./jq-functions.ts";

const fromMath = (
  name:
    | "floor"
    | "sqrt"
    | "log"
    | "log2"
    | "log10"
    | "exp"
    | "sin"
    | "cos"
    | "tan"
    | "asin"
    | "acos"
    | "atan"
    | "sinh"
    | "cosh"
    | "tanh"
    | "asinh"
    | "acosh"
    | "atanh"
    | "cbrt"
    | "ceil"
    | "trunc"
    | "expm1"
    | "log1p",
): ((x: number) => number) => Math[name];

const unary: Readonly<Record<string, (x: number) => unknown>> = {
  floor: fromMath("floor"),
  sqrt: fromMath("sqrt"),
  log: fromMath("log"),
  log2: fromMath("log2"),
  log10: fromMath("log10"),
  exp: fromMath("exp"),
  expm1: fromMath("expm1"),
  log1p: fromMath("log1p"),
  sin: fromMath("sin"),
  cos: fromMath("cos"),
  tan: fromMath("tan"),
  asin: fromMath("asin"),
  acos: fromMath("acos"),
  atan: fromMath("atan"),
  sinh: fromMath("sinh"),
  cosh: fromMath("cosh"),
  tanh: fromMath("tanh"),
  asinh: fromMath("asinh"),
  acosh: fromMath("acosh"),
  atanh: fromMath("atanh"),
  cbrt: fromMath("cbrt"),
  ceil: fromMath("ceil"),
  trunc: fromMath("trunc"),
  exp2: (x) => 2 ** x,
  exp10: (x) => 10 ** x,
  pow10: (x) => 10 ** x,
  fabs: (x) => Math.abs(x),
  round: (x) => Math.sign(x) * Math.round(Math.abs(x)),
  rint: halfToEven,
  nearbyint: halfToEven,
  significand: (x) => (x === 0 || !Number.isFinite(x) ? x : x / 2 ** exponentOf(x)),
  logb: (x) => (x === 0 ? -Infinity : Number.isFinite(x) ? exponentOf(x) : Math.abs(x)),
  frexp: (x) => (x === 0 || !Number.isFinite(x) ? [x, 0] : [x / 2 ** (exponentOf(x) + 1), exponentOf(x) + 1]),
  modf: (x) => (Number.isFinite(x) ? [x - Math.trunc(x), Math.trunc(x)] : [0, x]),
};

const binary: Readonly<Record<string, (x: number, y: number) => number>> = {
  pow: (x, y) => x ** y,
  atan2: (x, y) => Math.atan2(x, y),
  fmin: (x, y) => Math.min(x, y),
  fmax: (x, y) => Math.max(x, y),
  fmod: (x, y) => x % y,
  ldexp: (x, y) => x * 2 ** y,
  scalb: (x, y) => x * 2 ** y,
  scalbln: (x, y) => x * 2 ** y,
  hypot: (x, y) => Math.hypot(x, y),
  copysign: (x, y) => (Object.is(Math.sign(y), -0) || y < 0 ? -Math.abs(x) : Math.abs(x)),
  drem: (x, y) => x - y * halfToEven(x / y),
};

function halfToEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  return rest < 0.5 || (rest === 0.5 && floor % 2 === 0) ? floor : floor + 1;
}

function exponentOf(x: number): number {
  const guess = Math.floor(Math.log2(Math.abs(x)));
  const ratio = Math.abs(x) / 2 ** guess;
  return ratio >= 2 ? guess + 1 : ratio < 1 ? guess - 1 : guess;
}

/** The functions of C's math library that jq offers. */
export const mathFunctions: Readonly<Record<string, ValueFunction>> = Object.fromEntries([
  ...Object.entries(unary).map(([name, compute]): [string, ValueFunction] => [`${name}/0`, (_machine, input) => compute(expectNumber(input))]),
  ...Object.entries(binary).map(([name, compute]): [string, ValueFunction] => [
    `${name}/2`,
    (_machine, _input, x, y) => compute(expectNumber(x), expectNumber(y)),
  ]),
  ["fma/3", (_machine: unknown, _input: unknown, x: unknown, y: unknown, z: unknown) => expectNumber(x) * expectNumber(y) + expectNumber(z)],
]);
