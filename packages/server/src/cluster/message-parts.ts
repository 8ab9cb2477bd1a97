// A message with a JSON head and bytes: the length of the head, the head, the bytes.

const lengthBytes = 4;

export function encodeParts(head: unknown, bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, bytes]);
}

export function decodeParts(data: Uint8Array): readonly [unknown, Uint8Array] {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const end = lengthBytes + bytes.readUInt32BE();
  return [JSON.parse(bytes.toString("utf8", lengthBytes, end)), new Uint8Array(bytes.subarray(end))];
}
