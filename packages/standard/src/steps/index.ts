// Every step of the standard vocabulary: one line each, in alphabetical order.
import type { StepDeclaration } from "@sluice/engine/spi";
import { choice } from "./choice/choice.ts";
import { delay } from "./delay/delay.ts";
import { doTry } from "./do-try/do-try.ts";
import { filter } from "./filter/filter.ts";
import { log } from "./log/log.ts";
import { pipeline } from "./pipeline/pipeline.ts";
import { removeHeader } from "./remove-header/remove-header.ts";
import { removeHeaders } from "./remove-headers/remove-headers.ts";
import { removeProperties } from "./remove-properties/remove-properties.ts";
import { removeProperty } from "./remove-property/remove-property.ts";
import { removeVariable } from "./remove-variable/remove-variable.ts";
import { script } from "./script/script.ts";
import { setBody } from "./set-body/set-body.ts";
import { setExchangePattern } from "./set-exchange-pattern/set-exchange-pattern.ts";
import { setHeader } from "./set-header/set-header.ts";
import { setHeaders } from "./set-headers/set-headers.ts";
import { setProperty } from "./set-property/set-property.ts";
import { setVariable } from "./set-variable/set-variable.ts";
import { setVariables } from "./set-variables/set-variables.ts";
import { step } from "./step/step.ts";
import { stop } from "./stop/stop.ts";
import { throwException } from "./throw-exception/throw-exception.ts";
import { to } from "./to/to.ts";
import { toD } from "./to-d/to-d.ts";
import { transform } from "./transform/transform.ts";
import { validate } from "./validate/validate.ts";

export const steps: readonly StepDeclaration[] = [
  choice,
  delay,
  doTry,
  filter,
  log,
  pipeline,
  removeHeader,
  removeHeaders,
  removeProperties,
  removeProperty,
  removeVariable,
  script,
  setBody,
  setExchangePattern,
  setHeader,
  setHeaders,
  setProperty,
  setVariable,
  setVariables,
  step,
  stop,
  throwException,
  to,
  toD,
  transform,
  validate,
];
