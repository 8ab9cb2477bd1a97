// Converts keys and values of records according to the Kafka serializer class configured in Camel options.
import { FlowError } from "@sluice/engine/spi";
import { asJson, asText } from "@sluice/engine/values";

export type Deserializer = (bytes: Uint8Array | null) => unknown;

const bufferOf = (bytes: Uint8Array): Buffer => (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));

/** Converts keys or values; bytes that cannot be converted stay bytes, so that no record is lost. */
export function deserializerOf(className: string): Deserializer {
  if (className.endsWith(".StringDeserializer")) return (bytes) => (bytes === null ? null : bufferOf(bytes).toString());
  if (className.endsWith(".IntegerDeserializer")) return (bytes) => (bytes?.length === 4 ? bufferOf(bytes).readInt32BE() : bytes);
  if (className.endsWith(".LongDeserializer")) return (bytes) => (bytes?.length === 8 ? longOf(bufferOf(bytes)) : bytes);
  return (bytes) => bytes;
}

function longOf(buffer: Buffer): number | string {
  const value = buffer.readBigInt64BE();
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}

export function serialize(value: unknown, className: string): Uint8Array | null {
  if (value === null || value === undefined) return null;
  if (className.endsWith(".IntegerSerializer") || className.endsWith(".LongSerializer")) return integerBytes(value, className);
  if (value instanceof Uint8Array) return value;
  return Buffer.from(typeof value === "object" ? asJson(value) : asText(value));
}

function integerBytes(value: unknown, className: string): Uint8Array {
  const isLong = className.endsWith(".LongSerializer");
  const text = asText(value).trim();
  const number = /^[+-]?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  const limit = isLong ? 2n ** 63n : 2n ** 31n;
  if (number === undefined || number >= limit || number < -limit)
    throw new FlowError(
      "org.apache.kafka.common.errors.SerializationException",
      `'${text.slice(0, 100)}' is not ${isLong ? "a Long" : "an Integer"}: convert the body first`,
      {
        code: "kafka-serialization",
      },
    );
  const buffer = Buffer.alloc(isLong ? 8 : 4);
  if (isLong) buffer.writeBigInt64BE(number);
  else buffer.writeInt32BE(Number(number));
  return buffer;
}
