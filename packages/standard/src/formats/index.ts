// Every format of the standard vocabulary: one line each, in alphabetical order.
import type { FormatDeclaration } from "@sluice/engine/spi";
import { base64 } from "./base64/base64.ts";
import { csv } from "./csv/csv.ts";
import { custom } from "./custom/custom.ts";
import { gzipDeflater } from "./deflater/gzip-deflater.ts";
import { zipDeflater } from "./deflater/zip-deflater.ts";
import { jacksonXml } from "./jackson-xml/jackson-xml.ts";
import { json } from "./json/json.ts";
import { mimeMultipart } from "./mime-multipart/mime-multipart.ts";
import { tarFile } from "./tar-file/tar-file.ts";
import { yaml } from "./yaml/yaml.ts";
import { zipFile } from "./zip-file/zip-file.ts";

export const formats: readonly FormatDeclaration[] = [base64, csv, custom, gzipDeflater, jacksonXml, json, mimeMultipart, tarFile, yaml, zipDeflater, zipFile];
export { refusedFormats } from "./refused-formats.ts";
