// One open flow: edits, Save, Deploy and the conflicts they cause. Bound to one id, so it can never overwrite another flow. Accesses the server only
// through its port.
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Edit, Path, Splice } from "@sluice/model";
import { ApiError } from "@sluice/client";
import type { DeployBody, DeployReply, RollbackBody } from "../api-client/workspace-client.ts";
import type { Draft, Drafts } from "./drafts.ts";
import type { DeployRecord } from "./flow-state.ts";
import type { Origin } from "./history.ts";
import * as flows from "./open-flow.ts";
import type { OpenFlow, SavedFile } from "./open-flow.ts";
import type { Problem } from "./problem.ts";

/** A conflict that only the user can resolve, because a choice may discard changes. */
export type EditConflict =
  | { readonly kind: "file"; readonly during: "save" | "deploy" | "watch"; readonly disk: SavedFile | null; readonly base: string | undefined }
  | { readonly kind: "deployment"; readonly deployed: SavedFile | undefined; readonly target: string | null };

export interface Notice {
  readonly kind: "info" | "error";
  readonly text: string;
}

export interface EditorState {
  readonly flow: OpenFlow;
  readonly deploys: Readonly<Record<string, DeployRecord>>;
  /** Problems that the runtime reported for `checkedText`. */
  readonly problems: readonly Problem[];
  readonly checkedText: string | undefined;
  readonly busy: "saving" | "deploying" | undefined;
  readonly notice: Notice | undefined;
  readonly conflict: EditConflict | undefined;
  /** The target of the last deployment, until the user closes its summary. */
  readonly deployedTo: string | undefined;
  /** A draft of an earlier visit that differs from the file. */
  readonly recoveredDraft: Draft | undefined;
}

interface FlowPort {
  save(id: string, text: string, expectedHash: string | null): Promise<SavedFile & { readonly versionStored?: boolean }>;
  deploy(id: string, body: DeployBody): Promise<DeployReply>;
  rollBack(id: string, body: RollbackBody): Promise<Pick<DeployReply, "record" | "reply">>;
  read(id: string): Promise<SavedFile & { readonly deploys: Readonly<Record<string, DeployRecord>> }>;
}

export interface EditorParts {
  readonly port: FlowPort;
  readonly drafts: Drafts;
  now(): number;
  /** Text of messages to the user. */
  readonly labels: EditorLabels;
}

interface EditorLabels {
  readonly saved: string;
  readonly savedInvalid: string;
  readonly versionNotStored: string;
  readonly deployed: (warnings: readonly string[]) => string;
  readonly rolledBack: (revision: number, target: string, warnings: readonly string[]) => string;
  readonly reloaded: string;
  readonly loadedOther: string;
}

/** Optional details of an edit. */
export interface EditDetails {
  /** The other end of a selection of several steps. */
  readonly anchor?: number;
  /** Consecutive edits with the same group are one undo step. */
  readonly group?: string;
}

export interface FlowToOpen {
  readonly id: string;
  readonly file: (SavedFile & { readonly deploys: Readonly<Record<string, DeployRecord>> }) | undefined;
}

export class Editor {
  readonly id: string;
  readonly store: StoreApi<EditorState>;
  readonly #parts: EditorParts;
  /** Hash of the content on disk (null: deleted) whose conflict was closed; the file watcher does not report it again. */
  #dismissed: string | null | undefined;
  #isClosed = false;

  constructor(parts: EditorParts, { id, file }: FlowToOpen) {
    this.id = id;
    this.#parts = parts;
    const draft = parts.drafts.get(id);
    const isNew = file === undefined;
    const text = file?.text ?? draft?.text ?? "";
    const recoveredDraft = !isNew && draft !== undefined && draft.text !== file.text ? draft : undefined;
    this.store = createStore<EditorState>(() => ({
      flow: flows.openFlow(id, text, file === undefined ? undefined : savedOf(file)),
      deploys: file?.deploys ?? {},
      problems: [],
      checkedText: undefined,
      busy: undefined,
      notice: undefined,
      conflict: undefined,
      deployedTo: undefined,
      recoveredDraft,
    }));
  }

  get flow(): OpenFlow {
    return this.store.getState().flow;
  }

  /** Applies an edit made by the model's functions; false, with a notice, if it was rejected. */
  edit(edit: Edit, label: string, origin: Origin, select?: Path, more: EditDetails = {}): boolean {
    if (!edit.ok) {
      this.store.setState({ notice: { kind: "error", text: edit.reason } });
      return false;
    }
    this.splice(edit.splice, label, origin, select, more);
    return true;
  }

  splice(splice: Splice, label: string, origin: Origin, select?: Path, more: EditDetails = {}): void {
    const note = { label, origin, at: this.#parts.now(), ...(select === undefined ? {} : { select }), ...more };
    this.#set((flow) => flows.applyToFlow(flow, splice, note));
  }

  replaceText(text: string, label: string): void {
    this.#set((flow) => flows.replaceText(flow, text, { label, origin: "command", at: this.#parts.now() }));
  }

  undo(): void {
    this.#set(flows.undo);
  }

  redo(): void {
    this.#set(flows.redo);
  }

  select(path: Path | undefined, anchor?: number): void {
    this.#set((flow) => flows.select(flow, path, anchor));
  }

  selectAt(offset: number): void {
    this.#set((flow) => flows.selectAt(flow, offset));
  }

  showNotice(notice: Notice | undefined): void {
    this.store.setState({ notice });
  }

  setProblems(checkedText: string, problems: readonly Problem[]): void {
    this.store.setState({ problems, checkedText });
  }

  /** Saves the text. `replacing` is the hash of the content on disk that the user agreed to overwrite. */
  async save(replacing?: string | null): Promise<boolean> {
    if (this.store.getState().busy !== undefined) return false;
    const { text, saved } = this.flow;
    this.store.setState({ busy: "saving", notice: undefined });
    try {
      const file = await this.#parts.port.save(this.id, text, replacing === undefined ? (saved?.hash ?? null) : replacing);
      this.#markSaved(file);
      const { saved: savedText, savedInvalid, versionNotStored } = this.#parts.labels;
      this.showNotice({ kind: "info", text: file.versionStored === false ? versionNotStored : flows.isBroken(this.flow) ? savedInvalid : savedText });
      return true;
    } catch (error) {
      this.#reportFailure(error, "save", null);
      return false;
    } finally {
      this.store.setState({ busy: undefined });
    }
  }

  /** Saves if needed and deploys the text. */
  async deploy(target: string | null, overwrite: string | null = null, replacing?: string | null): Promise<boolean> {
    if (this.store.getState().busy !== undefined) return false;
    const { text, saved } = this.flow;
    this.store.setState({ busy: "deploying", notice: undefined, deployedTo: undefined });
    try {
      const reply = await this.#parts.port.deploy(this.id, { text, baseHash: replacing === undefined ? (saved?.hash ?? null) : replacing, target, overwrite });
      this.#markSaved(reply.file);
      this.#setRecord(reply.record);
      this.store.setState({ deployedTo: reply.record.target });
      this.showNotice({ kind: "info", text: this.#parts.labels.deployed(reply.reply.warnings ?? []) });
      return true;
    } catch (error) {
      const file = error instanceof ApiError ? (error.detail["file"] as SavedFile | undefined) : undefined;
      if (file !== undefined) this.#markSaved(file);
      // First: a dialog must not offer "Deploy anyway" while this deployment is still busy, because the click would have no effect.
      await this.#refreshRecords();
      this.#reportFailure(error, "deploy", target);
      return false;
    } finally {
      this.store.setState({ busy: undefined });
    }
  }

  /** Deploys an earlier version of the target again; the open text does not change. */
  async rollBack(body: RollbackBody): Promise<void> {
    if (this.store.getState().busy !== undefined) return;
    this.store.setState({ busy: "deploying", notice: undefined });
    try {
      const { record, reply } = await this.#parts.port.rollBack(this.id, body);
      this.#setRecord(record);
      this.showNotice({ kind: "info", text: this.#parts.labels.rolledBack(body.revision, body.target, reply.warnings ?? []) });
    } catch (error) {
      this.#reportFailure(error, "deploy", body.target);
    } finally {
      this.store.setState({ busy: undefined });
    }
  }

  /** Compares with the disk: loads changes when nothing is unsaved, otherwise asks the user. */
  async watchDisk(): Promise<void> {
    const { busy, conflict, flow } = this.store.getState();
    if (busy !== undefined || conflict !== undefined || flow.saved === undefined || this.#isClosed) return;
    const file = await this.#parts.port.read(this.id).catch((error: unknown) => (error instanceof ApiError && error.status === 404 ? null : undefined));
    const latest = this.store.getState();
    if (file === undefined || latest.busy !== undefined || latest.flow.saved?.hash !== flow.saved.hash || file?.hash === flow.saved.hash) return;
    if (this.#dismissed !== undefined && this.#dismissed === (file?.hash ?? null)) return;
    if (file !== null && flows.unsavedChanges(latest.flow) === 0) this.#loadFromDisk(file, this.#parts.labels.reloaded);
    else this.store.setState({ conflict: { kind: "file", during: "watch", disk: file === null ? null : savedOf(file), base: latest.flow.saved.text } });
  }

  /** Loads the text from disk; Undo restores the user's text. */
  loadFromDisk(): void {
    const { conflict } = this.store.getState();
    if (conflict?.kind !== "file" || conflict.disk === null) return;
    this.#loadFromDisk(conflict.disk, this.#parts.labels.loadedOther);
    this.store.setState({ conflict: undefined });
  }

  /** Closes a conflict without a decision. The next Save asks again; the file watcher does not ask about the same content. */
  dismiss(): void {
    const { conflict } = this.store.getState();
    if (conflict?.kind === "file") this.#dismissed = conflict.disk?.hash ?? null;
    this.store.setState({ conflict: undefined });
  }

  closeDeployed(): void {
    this.store.setState({ deployedTo: undefined });
  }

  restoreDraft(): void {
    const { recoveredDraft } = this.store.getState();
    if (recoveredDraft !== undefined) this.replaceText(recoveredDraft.text, this.#parts.labels.loadedOther);
    this.store.setState({ recoveredDraft: undefined });
  }

  discardDraft(): void {
    this.#parts.drafts.remove(this.id);
    this.store.setState({ recoveredDraft: undefined });
  }

  /** The flow was deleted: no draft of it may be stored again, and its missing file is not a conflict. */
  close(): void {
    this.#isClosed = true;
    this.#parts.drafts.remove(this.id);
  }

  /** Stores unsaved changes in the browser; called every few seconds and when the page is closed. */
  storeDraft(): void {
    const { flow, recoveredDraft } = this.store.getState();
    if (recoveredDraft !== undefined || this.#isClosed) return;
    if (flows.unsavedChanges(flow) === 0) this.#parts.drafts.remove(this.id);
    else if (this.#parts.drafts.get(this.id)?.text !== flow.text) {
      this.#parts.drafts.put(this.id, { text: flow.text, baseHash: flow.saved?.hash ?? null, at: new Date(this.#parts.now()).toISOString() });
    }
  }

  #loadFromDisk(file: SavedFile, label: string): void {
    this.replaceText(file.text, label);
    this.#set((flow) => flows.markSaved(flow, savedOf(file)));
    this.showNotice({ kind: "info", text: label });
  }

  #markSaved(file: SavedFile): void {
    this.#set((flow) => flows.markSaved(flow, savedOf(file)));
    this.store.setState({ recoveredDraft: undefined });
    this.storeDraft();
  }

  #setRecord(record: DeployRecord): void {
    this.store.setState(({ deploys }) => ({ deploys: { ...deploys, [record.target]: record } }));
  }

  #reportFailure(error: unknown, during: "save" | "deploy", target: string | null): void {
    if (!(error instanceof ApiError)) throw error;
    const { conflict, disk, deployed } = error.detail as { conflict?: string; disk?: SavedFile | null; deployed?: SavedFile };
    if (conflict === "file") this.store.setState({ conflict: { kind: "file", during, disk: disk ?? null, base: this.flow.saved?.text } });
    else if (conflict === "deployment" && deployed !== undefined) this.store.setState({ conflict: { kind: "deployment", deployed, target } });
    this.showNotice({ kind: "error", text: error.message });
    this.storeDraft();
  }

  async #refreshRecords(): Promise<void> {
    const file = await this.#parts.port.read(this.id).catch(() => undefined);
    if (file !== undefined) this.store.setState({ deploys: file.deploys });
  }

  #set(change: (flow: OpenFlow) => OpenFlow): void {
    const before = this.flow;
    const after = change(before);
    if (after !== before) this.store.setState({ flow: after });
  }
}

const savedOf = ({ text, hash, lastModified }: SavedFile): SavedFile => ({ text, hash, lastModified });
