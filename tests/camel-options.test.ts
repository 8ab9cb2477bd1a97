// A flow may set any option of Camel to its default value, because that has no effect.
import { connectorIndex } from "@sluice/connectors";
import { bindEndpoint, describe as about, type Field, type Fields } from "@sluice/model";
import { describe, expect, it } from "vitest";
import { camelOptions } from "./camel-options.ts";
import { sampleText } from "./sample-options.ts";

const loaded = await Promise.all(connectorIndex.map((entry) => entry.load({})));

describe.each(Object.entries(camelOptions))("%s", (scheme, options) => {
  const connector = loaded.find((candidate) => candidate.scheme === scheme);
  const required = Object.fromEntries(
    Object.entries({ ...(connector?.path as Fields), ...(connector?.options as Fields) })
      .filter(([, field]) => about(field).spec.required === true)
      .map(([name, field]) => [name, sampleText(field)]),
  );

  it("declares every option", () => {
    const declared = { ...(connector?.path as Fields), ...(connector?.options as Fields) };
    expect(Object.keys(options).filter((name) => !Object.hasOwn(declared, name))).toEqual([]);
    const unsupported = (name: string): boolean => about(declared[name] as Field<unknown>).spec.unsupported !== undefined;
    expect(Object.keys(options).filter(unsupported)).toEqual([]);
  });

  it.each(Object.entries(options).filter(([, value]) => value !== ""))("accepts %s=%s", (name, value) => {
    expect(bindEndpoint({ uri: scheme, parameters: { ...required, [name]: value } }, connector as never).problems).toEqual([]);
  });
});
