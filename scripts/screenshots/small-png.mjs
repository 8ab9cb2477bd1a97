// Reduces a screenshot to a quarter of its size: a page has few colors, so a palette of 256 is enough.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

/** Accepts a PNG as browsers write it (8 bits per channel, not interlaced). */
export function smallPng(png) {
  const { width, height, pixels } = decode(png);
  const counts = new Map();
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1);
  const palette = paletteOf(counts);
  const indexes = new Map(palette.map((color, index) => [color, index]));
  for (const color of counts.keys()) if (!indexes.has(color)) indexes.set(color, nearest(palette, color));
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indexes.get(pixels[y * width + x]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colors = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("PLTE", colors),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** The next palette color is the one with the largest error: by frequency and distance from the existing colors. */
function paletteOf(counts) {
  const candidates = [...counts].map(([color, count]) => ({ color, count, distance: Infinity }));
  let next = candidates.toSorted((a, b) => b.count - a.count)[0];
  const palette = [];
  while (next !== undefined && palette.length < 256) {
    const { color } = next;
    palette.push(color);
    next = undefined;
    for (const entry of candidates) {
      entry.distance = Math.min(entry.distance, distanceOf(entry.color, color));
      if (entry.distance > 0 && (next === undefined || entry.count * entry.distance > next.count * next.distance)) next = entry;
    }
  }
  return palette;
}

function nearest(palette, color) {
  let best = 0;
  for (let index = 1; index < palette.length; index++) if (distanceOf(palette[index], color) < distanceOf(palette[best], color)) best = index;
  return best;
}

function distanceOf(first, second) {
  const red = (first >> 16) - (second >> 16);
  const green = ((first >> 8) & 255) - ((second >> 8) & 255);
  const blue = (first & 255) - (second & 255);
  return red * red + green * green + blue * blue;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

function decode(png) {
  const parts = [];
  let at = signature.length;
  let head;
  while (at < png.length) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") head = data;
    if (type === "IDAT") parts.push(data);
    at += 12 + length;
  }
  const width = head.readUInt32BE(0);
  const height = head.readUInt32BE(4);
  const channels = head[9] === 6 ? 4 : 3;
  const bytes = removeFilters(inflateSync(Buffer.concat(parts)), width * channels, height, channels);
  const pixels = new Uint32Array(width * height);
  for (let index = 0; index < pixels.length; index++) {
    const from = index * channels;
    pixels[index] = (bytes[from] << 16) | (bytes[from + 1] << 8) | bytes[from + 2];
  }
  return { width, height, pixels };
}

/** Reverses the prediction filter of each row. */
function removeFilters(rows, stride, height, channels) {
  const bytes = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x < channels ? 0 : bytes[y * stride + x - channels];
      const up = y === 0 ? 0 : bytes[(y - 1) * stride + x];
      const corner = x < channels || y === 0 ? 0 : bytes[(y - 1) * stride + x - channels];
      bytes[y * stride + x] = rows[y * (stride + 1) + 1 + x] + predict(filter, left, up, corner);
    }
  }
  return bytes;
}

function predict(filter, left, up, corner) {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
