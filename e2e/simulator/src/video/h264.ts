import { BitWriter } from "./bits.ts";

/** Side of a macroblock in pixels; of its luma samples, and of each of its two planes of colour. */
const side = 16;
const [lumaSamples, chromaSamples] = [side * side, (side * side) / 4];

/** A plain picture in Baseline H.264: one colour, in samples of luma and of the two planes of colour (16 to 235). */
export interface Plain {
  /** In macroblocks. */
  readonly columns: number;
  readonly rows: number;
  readonly colour: readonly [luma: number, blue: number, red: number];
}

/** The parameter sets that a decoder starts with. */
export function parameterSets({ columns, rows }: Plain): { readonly sequence: Buffer; readonly picture: Buffer } {
  const sequence = new BitWriter()
    // Baseline, both its constraints, level 3.
    .bits(66, 8)
    .bits(0xc0, 8)
    .bits(30, 8)
    // Id, frame numbers of 4 bits, pictures shown in their order, one reference.
    .codes(0, 0, 2, 1)
    .bits(0, 1)
    .codes(columns - 1, rows - 1)
    // Whole frames, direct inference, no cropping, no more.
    .bits(0b1100, 4)
    .end();
  const picture = new BitWriter()
    // Ids; codes of variable length; no groups; one reference each; no weights; no offsets of quality.
    .codes(0, 0)
    .bits(0, 2)
    .codes(0, 0, 0)
    .bits(0, 3)
    .codes(0, 0, 0)
    // The deblocking filter is set in each slice.
    .bits(0b100, 3)
    .end();
  return { sequence: unit(0x67, sequence), picture: unit(0x68, picture) };
}

/** The first picture: every macroblock is its samples as they are. */
export function firstPicture({ columns, rows, colour }: Plain): Buffer {
  const [luma, blue, red] = colour;
  const samples = [
    ...Array.from({ length: lumaSamples }, () => luma),
    ...Array.from({ length: chromaSamples }, () => blue),
    ...Array.from({ length: chromaSamples }, () => red),
  ];
  // An intra slice from the first macroblock on, frame 0, no marking, usual quality, no deblocking.
  const slice = new BitWriter().codes(0, 7, 0).bits(0, 4).codes(0).bits(0, 2).codes(0, 1);
  for (let at = 0; at < columns * rows; at++) slice.codes(25).align().bytes(samples);
  return unit(0x65, slice.end());
}

/** Any later picture: nothing has changed. */
export function nextPicture({ columns, rows }: Plain, number: number): Buffer {
  // A predicted slice, its frame's number, no changes to references or marking, usual quality, no deblocking; all skipped.
  const slice = new BitWriter()
    .codes(0, 5, 0)
    .bits(number % 16, 4)
    .bits(0, 3)
    .codes(0, 1);
  return unit(0x41, slice.codes(columns * rows).end());
}

/** A unit of the stream; three bytes that would look like a beginning are escaped by an extra one. */
function unit(head: number, payload: Buffer): Buffer {
  const bytes = [head];
  let zeros = 0;
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    bytes.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Buffer.from(bytes);
}
