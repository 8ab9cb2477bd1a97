import { FlowError, defineFormat, type Exchange } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { f } from "@sluice/model";
import { commonFields, invalidInput, withBytes } from "../format-input.ts";
import { type MimePart, boundaryOf, readHead, readParts, writeParts } from "./mime-parts.ts";

/** Property for the attachments, since a message has only one body: a list of {name, fileName, contentType, headers, body}. */
const attachmentsProperty = "CamelAttachments";
const encoder = new TextEncoder();

/** A body with its attachments as one MIME multipart body. */
export const mimeMultipart = defineFormat({
  name: "mimeMultipart",
  title: "MIME multipart",
  summary: "Parses a multipart body, or creates one from the body and its attachments.",
  group: "binary",
  icon: "paperclip",
  since: "0.1",
  options: {
    ...commonFields,
    multipartSubType: f.string({ doc: "Subtype of multipart/ in the Content-Type.", default: "mixed" }),
    multipartWithoutAttachment: f.boolean({ doc: "Creates a multipart body even without attachments.", default: false }),
    headersInline: f.boolean({
      doc: "Writes the headers of the multipart at the start of the body instead of in the message, and reads them from there.",
      default: false,
    }),
    includeHeaders: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
    binaryContent: f.boolean({ doc: "Writes parts as binary instead of base64.", default: false, group: "advanced" }),
  },
  examples: [
    {
      title: "The first part is the body",
      yaml: "unmarshal: {mimeMultipart: {}}",
      given: { body: "--b\r\nContent-Type: text/plain\r\n\r\nhello\r\n--b--\r\n", headers: { "Content-Type": "multipart/mixed; boundary=b" } },
      expect: { body: "hello", headers: { "Content-Type": "text/plain" } },
    },
  ],
  create({ multipartSubType, multipartWithoutAttachment, headersInline, binaryContent }) {
    return {
      marshal(body, exchange) {
        const attachments = attachmentsOf(exchange);
        if (attachments.length === 0 && !multipartWithoutAttachment) return body;
        return withBytes(body, (bytes) => {
          const bodyType = asText(exchange.message.headers.get("Content-Type"));
          const first: MimePart = {
            name: undefined,
            fileName: undefined,
            contentType: bodyType === "" ? "application/octet-stream" : bodyType,
            headers: {},
            body: bytes,
          };
          const boundary = `part-${exchange.id}`;
          const contentType = `multipart/${multipartSubType}; boundary="${boundary}"`;
          const multipart = writeParts([first, ...attachments], boundary, binaryContent);
          exchange.removeProperty(attachmentsProperty);
          if (!headersInline) {
            exchange.message.headers.set("Content-Type", contentType);
            return multipart;
          }
          const head = encoder.encode(`MIME-Version: 1.0\r\nContent-Type: ${contentType}\r\n\r\n`);
          const result = new Uint8Array(head.length + multipart.length);
          result.set(head);
          result.set(multipart, head.length);
          return result;
        });
      },
      unmarshal(body, exchange) {
        return withBytes(body, (bytes) => {
          const head = headersInline ? readHead(bytes) : undefined;
          const boundary = boundaryOf(head === undefined ? asText(exchange.message.headers.get("Content-Type")) : (head.headers["content-type"] ?? ""));
          // As in Camel, a body that is not multipart is not changed.
          if (boundary === undefined) return body;
          const [first, ...attachments] = readParts(head === undefined ? bytes : bytes.subarray(head.contentAt), boundary);
          if (first === undefined) throw invalidInput("mime", "the multipart body has no parts");
          exchange.message.headers.set("Content-Type", first.contentType);
          if (attachments.length > 0) exchange.setProperty(attachmentsProperty, attachments);
          return /^text\//i.test(first.contentType) ? asText(first.body) : first.body;
        });
      },
    };
  },
});

function attachmentsOf(exchange: Exchange): readonly MimePart[] {
  const attachments = exchange.property(attachmentsProperty) ?? [];
  if (!Array.isArray(attachments))
    throw new FlowError("java.lang.IllegalArgumentException", `property ${attachmentsProperty} must be a list of {name, fileName, contentType, body}`, {
      code: "mime-attachments",
    });
  return attachments.map((item: unknown) => {
    const part = (typeof item === "object" && item !== null ? item : { body: item }) as Partial<Record<keyof MimePart, unknown>>;
    return {
      name: part.name === undefined ? undefined : asText(part.name),
      fileName: part.fileName === undefined ? undefined : asText(part.fileName),
      contentType: part.contentType === undefined ? "application/octet-stream" : asText(part.contentType),
      headers: {},
      body: part.body instanceof Uint8Array ? part.body : encoder.encode(asText(part.body)),
    };
  });
}
