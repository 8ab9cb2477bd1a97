export { invokeShape, openShape, type InvokeBody, type MockBody, type OpenBody } from "@sluice/model";
