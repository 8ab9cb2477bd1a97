import { expect, it } from "vitest";
import { checkNode } from "./check-node.ts";

it.each([
  ["18.20.0", "problem", "too old"],
  ["20.18.9", "problem", "too old"],
  ["20.19.0", "warning", "best-effort"],
  ["21.7.3", "warning", "odd versions"],
  ["22.22.3", "warning", "older than the supported 22.23"],
  ["22.23.0", "ok", "22.23.0"],
  ["24.14.1", "warning", "older than the supported 24.15"],
  ["24.15.0", "ok", "24.15.0"],
  ["25.9.0", "warning", "odd versions"],
  ["26.0.0", "ok", "26.0.0"],
])("Node %s: %s", (version, state, text) => expect(checkNode(version)).toMatchObject({ state, text: expect.stringContaining(text) }));
