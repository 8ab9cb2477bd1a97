import { ApiError } from "@sluice/client";
import { expect, test } from "vitest";
import type { DeployBody } from "../api-client/workspace-client.ts";
import { strings } from "../strings.ts";
import { Drafts } from "./drafts.ts";
import { Editor, type EditorParts } from "./editor.ts";

const unused = (): Promise<never> => Promise.reject(new Error("not used"));
const nextTask = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const file = { text: "- route: {}\n", hash: "h", lastModified: "2026-11-14T16:02:33.120Z" };

test("a deployment conflict is shown only when the next deployment would start", async () => {
  const bodies: DeployBody[] = [];
  let finishReading = (): void => {};
  const port: EditorParts["port"] = {
    save: unused,
    rollBack: unused,
    deploy: (_id, body) => {
      bodies.push(body);
      if (body.overwrite === null)
        return Promise.reject(new ApiError(409, "changed", { detail: { conflict: "deployment", deployed: { ...file, hash: "theirs" } } }));
      return Promise.resolve({ file, saved: false, record: { target: "local" } as never, reply: {} });
    },
    read: () => new Promise((resolve) => (finishReading = () => resolve({ ...file, deploys: {} }))),
  };
  const editor = new Editor({ port, drafts: new Drafts(undefined), now: () => 0, labels: strings.notices }, { id: "f", file: { ...file, deploys: {} } });
  const first = editor.deploy("local");
  await nextTask();
  expect(editor.store.getState()).toMatchObject({ busy: "deploying", conflict: undefined });
  finishReading();
  await nextTask();
  expect(editor.store.getState()).toMatchObject({ busy: undefined, conflict: { kind: "deployment", deployed: { hash: "theirs" } } });
  expect(await first).toBe(false);
  expect(await editor.deploy("local", "theirs")).toBe(true);
  expect(bodies.map(({ overwrite }) => overwrite)).toEqual([null, "theirs"]);
});
