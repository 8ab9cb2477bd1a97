// A message with a JSON head and bytes: the length of the head, the head, the bytes.

const lengthBytes = 4;

export function encodeParts(head: unknown, bytes: Uint8Array): Uint8Array {
  const text = JSON.stringify(head);
  const size = Buffer.byteLength(text);
  const data = Buffer.allocUnsafe(lengthBytes + size + bytes.length);
  data.writeUInt32BE(size);
  data.write(text, lengthBytes);
  data.set(bytes, lengthBytes + size);
  return data;
}

export function decodeParts(data: Uint8Array): readonly [unknown, Uint8Array] {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const end = lengthBytes + bytes.readUInt32BE();
  return [JSON.parse(bytes.toString("utf8", lengthBytes, end)), new Uint8Array(bytes.subarray(end))];
}
