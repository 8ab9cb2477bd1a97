// Previews of bodies in trace events. An unchanged body is serialized once: comparing is much faster, and events share the text.
import { previewBody, type BodyPreview } from "../masking/preview.ts";

/** Deeper values are handled by the preview, which is limited. */
const maxDepth = 32;
const emptyPreview: BodyPreview = { text: "", size: 0, truncated: false };

export class BodyPreviewCache {
  #limit = 0;
  #preview = emptyPreview;
  /** The previous body in flat form: containers, names and leaves in the order of its JSON; empty if it is not plain data. */
  readonly #parts: unknown[] = [];
  #count = 0;
  #at = 0;

  /** The start of the current body. */
  preview(body: unknown, limit: number): BodyPreview {
    if (typeof body !== "object" || body === null || body instanceof Uint8Array) return this.#share(previewBody(body, limit));
    this.#at = 0;
    if (limit === this.#limit && this.#isUnchanged(body) && this.#at === this.#count) return this.#preview;
    this.#count = 0;
    this.#limit = limit;
    const text = this.#flatten(body, limit, 0) > 0 ? JSON.stringify(body) : undefined;
    if (text === undefined || text.length > limit) {
      this.#count = 0;
      return (this.#preview = previewBody(body, limit));
    }
    return (this.#preview = { text, size: Buffer.byteLength(text), truncated: false });
  }

  forget(): void {
    this.#parts.length = 0;
    this.#count = 0;
    this.#preview = emptyPreview;
  }

  #share(preview: BodyPreview): BodyPreview {
    const { text, size, truncated } = this.#preview;
    if (preview.text === text && preview.size === size && preview.truncated === truncated) return this.#preview;
    this.#count = 0;
    return (this.#preview = preview);
  }

  /** Records a value in flat form; returns the remaining limit, 0 if it is too large or not plain data. */
  #flatten(item: unknown, limit: number, depth: number): number {
    let remaining = limit - 8;
    this.#parts[this.#count++] = item;
    if (typeof item === "string") return remaining - item.length;
    if (typeof item === "number") return Number.isFinite(item) ? remaining : 0;
    if (typeof item !== "object" || item === null) return typeof item === "boolean" || item === null ? remaining : 0;
    if (depth > maxDepth) return 0;
    if (Array.isArray(item)) {
      for (let index = 0; index < item.length && remaining > 0; index++) remaining = this.#flatten(item[index], remaining, depth + 1);
    } else if (isPlain(item)) {
      for (const name in item) {
        this.#parts[this.#count++] = name;
        remaining = this.#flatten(item[name], remaining - name.length, depth + 1);
        if (remaining <= 0) return 0;
      }
    } else return 0;
    this.#parts[this.#count++] = item;
    return remaining;
  }

  #isUnchanged(item: unknown): boolean {
    if (this.#at >= this.#count || this.#parts[this.#at++] !== item) return false;
    if (typeof item !== "object" || item === null) return true;
    if (Array.isArray(item)) {
      for (let index = 0; index < item.length; index++) if (!this.#isUnchanged(item[index])) return false;
    } else for (const name in item) if (this.#parts[this.#at++] !== name || !this.#isUnchanged((item as Plain)[name])) return false;
    return this.#parts[this.#at++] === item;
  }
}

type Plain = Readonly<Record<string, unknown>>;

function isPlain(item: object): item is Plain {
  const prototype: unknown = Object.getPrototypeOf(item);
  return prototype === Object.prototype || prototype === null;
}
