// The reply to the last message that was sent to the deployed flow, so that its run can show it.
import { create } from "zustand";
import type { TryReply } from "../api-client/workspace-client.ts";

export const useSentReply = create<{ readonly reply: TryReply | undefined }>(() => ({ reply: undefined }));
