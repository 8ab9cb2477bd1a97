import { flow } from "@sluice/testkit";
import { expect, it } from "vitest";

it("a deployment conflict reports the id of the rejected route", async () => {
  const { runtime } = await flow("- route: {id: first, from: {uri: direct:a, steps: [{log: x}]}}");
  const deploy = async (source: string): Promise<unknown> => {
    const { deployment } = runtime.prepare({ id: "other", hash: "", source, property: () => undefined });
    return deployment === undefined ? undefined : runtime.deploy(deployment);
  };
  await expect(deploy("- route: {id: second, from: {uri: direct:a, steps: [{log: x}]}}")).rejects.toMatchObject({
    routeId: "second",
    message: "route 'second' failed to start: direct:a is already served by route 'first' of flow 'test'",
  });
  await expect(deploy("- route: {id: first, from: {uri: direct:b, steps: [{log: x}]}}")).rejects.toMatchObject({
    routeId: "first",
    message: "route 'first' failed to start: route id 'first' is already used by flow 'test'",
  });
});
