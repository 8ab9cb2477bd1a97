// Encrypts configuration records with AES-256-GCM before they leave a node. The id of a record is authenticated with its content, so that the content
// of one record cannot be stored under another id.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { SettingsError } from "../config.ts";

export interface RecordCipher {
  /** Whether new records are encrypted. */
  readonly encrypts: boolean;
  encrypt(id: string, bytes: Uint8Array): Uint8Array;
  /** Returns records that were stored without encryption unchanged; throws if no key matches. */
  decrypt(id: string, bytes: Uint8Array): Uint8Array;
  /** For messages of other nodes: with a key, only encrypted ones are accepted, because only they prove that the sender has a key. */
  decryptMessage(id: string, bytes: Uint8Array): Uint8Array;
}

/** No unencrypted record starts with this prefix, because those records are JSON or YAML. */
const prefix = Buffer.from("\0SLX1");
const keyIdLength = 8;
const nonceLength = 12;
const tagLength = 16;
const headLength = prefix.length + keyIdLength + nonceLength + tagLength;
const keyLength = 32;

interface Key {
  readonly id: Buffer;
  readonly secret: Buffer;
}

/** `current` encrypts and decrypts; the keys in `old`, separated by commas, only decrypt. All are 32 bytes in base64. */
export function createRecordCipher(current: string | undefined, old: string | undefined): RecordCipher {
  const key = current === undefined ? undefined : readKey("SERVICE_CLUSTER_KEY", current);
  const oldKeys = (old ?? "").split(",").filter((text) => text.trim() !== "");
  const keys = [...(key === undefined ? [] : [key]), ...oldKeys.map((text) => readKey("SERVICE_CLUSTER_KEYS_OLD", text))];
  const cipher: RecordCipher = {
    encrypts: key !== undefined,
    encrypt(id, bytes) {
      if (key === undefined) return bytes;
      const nonce = randomBytes(nonceLength);
      const encryption = createCipheriv("aes-256-gcm", key.secret, nonce, { authTagLength: tagLength }).setAAD(Buffer.from(id));
      const content = Buffer.concat([encryption.update(bytes), encryption.final()]);
      return Buffer.concat([prefix, key.id, nonce, encryption.getAuthTag(), content]);
    },
    decrypt(id, bytes) {
      const stored = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      if (!stored.subarray(0, prefix.length).equals(prefix)) return bytes;
      if (keys.length === 0) throw new Error("the record is encrypted: set SERVICE_CLUSTER_KEY to the key of the other nodes");
      const keyId = stored.subarray(prefix.length, prefix.length + keyIdLength);
      const matchingKey = keys.find((each) => each.id.equals(keyId));
      if (matchingKey === undefined)
        throw new Error(
          "the record is encrypted with another key: set SERVICE_CLUSTER_KEY to the key of the other nodes, or add it to SERVICE_CLUSTER_KEYS_OLD",
        );
      const nonce = stored.subarray(prefix.length + keyIdLength, headLength - tagLength);
      const decipher = createDecipheriv("aes-256-gcm", matchingKey.secret, nonce, { authTagLength: tagLength });
      decipher.setAAD(Buffer.from(id)).setAuthTag(stored.subarray(headLength - tagLength, headLength));
      try {
        return Buffer.concat([decipher.update(stored.subarray(headLength)), decipher.final()]);
      } catch (error) {
        throw new Error("the record was changed in the store: deploy it again", { cause: error });
      }
    },
    decryptMessage(id, bytes) {
      const content = cipher.decrypt(id, bytes);
      if (key !== undefined && content === bytes) throw new Error("the message is not encrypted: set SERVICE_CLUSTER_KEY on the node that sent it");
      return content;
    },
  };
  return cipher;
}

function readKey(setting: string, text: string): Key {
  const secret = Buffer.from(text.trim(), "base64");
  if (secret.length !== keyLength)
    throw new SettingsError([`${setting}: expected ${keyLength} bytes in base64; create a key with: openssl rand -base64 ${keyLength}`]);
  return { secret, id: createHash("sha256").update(secret).digest().subarray(0, keyIdLength) };
}
