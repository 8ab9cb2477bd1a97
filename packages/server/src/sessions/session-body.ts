export {
  assertionShape,
  invokeShape,
  matchShape,
  mockShape,
  openShape,
  type AssertionBody,
  type CalledBody,
  type InvokeBody,
  type MockBody,
  type OpenBody,
  type RespondBody,
  type ThrowBody,
} from "@sluice/model";
