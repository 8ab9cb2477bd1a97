import type { JqMachine } from "./jq-machine.ts";
import { compare, copyMembers, describe, fail, isEqual, kindOf, memberOf, setMember, type Members } from "./jq-values.ts";

type Operation = (left: unknown, right: unknown, machine: JqMachine) => unknown;

export const operations: Readonly<Record<string, Operation>> = {
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": divide,
  "%": remainder,
  "==": isEqual,
  "!=": (left, right) => !isEqual(left, right),
  "<": (left, right) => compare(left, right) < 0,
  "<=": (left, right) => compare(left, right) <= 0,
  ">": (left, right) => compare(left, right) > 0,
  ">=": (left, right) => compare(left, right) >= 0,
};

export function add(left: unknown, right: unknown, machine: JqMachine): unknown {
  if (typeof left === "number" && typeof right === "number") return left + right;
  if (left === null || left === undefined) return right ?? null;
  if (right === null || right === undefined) return left;
  if (typeof left === "string" && typeof right === "string") {
    machine.chargeText(left.length + right.length);
    return left + right;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    machine.spend((left.length + right.length) / 32);
    return [...(left as unknown[]), ...(right as unknown[])];
  }
  if (kindOf(left) === "object" && kindOf(right) === "object") {
    machine.spend((Object.keys(left).length + Object.keys(right).length) / 2);
    return { ...left, ...right };
  }
  return fail(`${describe(left)} and ${describe(right)} cannot be added`);
}

function subtract(left: unknown, right: unknown, machine: JqMachine): unknown {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (Array.isArray(left) && Array.isArray(right)) {
    machine.spend((left.length * right.length) / 8);
    return left.filter((item) => !right.some((other) => isEqual(item, other)));
  }
  return fail(`${describe(left)} and ${describe(right)} cannot be subtracted`);
}

function multiply(left: unknown, right: unknown, machine: JqMachine): unknown {
  if (typeof left === "number" && typeof right === "number") return left * right;
  if (typeof left === "string" && typeof right === "number") return repeat(left, right, machine);
  if (typeof left === "number" && typeof right === "string") return repeat(right, left, machine);
  if (kindOf(left) === "object" && kindOf(right) === "object") return merge(left as Members, right as Members, machine);
  return fail(`${describe(left)} and ${describe(right)} cannot be multiplied`);
}

function repeat(text: string, times: number, machine: JqMachine): string | null {
  if (!(times > 0)) return null;
  if (text === "") return "";
  const count = Math.max(1, Math.floor(times));
  machine.chargeText(text.length * count);
  return text.repeat(count);
}

/** Merges objects recursively. */
function merge(left: Members, right: Members, machine: JqMachine): Members {
  const result = copyMembers(left, machine);
  for (const name of Object.keys(right)) {
    machine.spend(1);
    const old = memberOf(result, name);
    const value = right[name];
    setMember(result, name, kindOf(old) === "object" && kindOf(value) === "object" ? merge(old as Members, value as Members, machine) : value);
  }
  return result;
}

function divide(left: unknown, right: unknown, machine: JqMachine): unknown {
  if (typeof left === "number" && typeof right === "number") {
    if (right === 0) fail(`${describe(left)} and ${describe(right)} cannot be divided because the divisor is zero`);
    return left / right;
  }
  if (typeof left === "string" && typeof right === "string") return splitText(left, right, machine);
  return fail(`${describe(left)} and ${describe(right)} cannot be divided`);
}

export function splitText(text: string, separator: string, machine: JqMachine): string[] {
  machine.spend(text.length / 16);
  return text === "" ? [] : separator === "" ? [...text] : text.split(separator);
}

function remainder(left: unknown, right: unknown): unknown {
  if (typeof left !== "number" || typeof right !== "number") return fail(`${describe(left)} and ${describe(right)} cannot be divided`);
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN;
  const divisor = Math.abs(toInteger(right));
  if (divisor === 0) fail(`${describe(left)} and ${describe(right)} cannot be divided because the divisor is zero`);
  return (toInteger(left) % divisor) + 0;
}

function toInteger(number: number): number {
  return Math.max(-(2 ** 63), Math.min(2 ** 63, Math.trunc(number)));
}

export function negate(value: unknown): unknown {
  return typeof value === "number" ? -value : fail(`${describe(value)} cannot be negated`);
}
