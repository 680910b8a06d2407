import { BitWriter } from "./bits.ts";

/** Side of a macroblock, in pixels. */
const side = 16;
const [lumaSamples, chromaSamples] = [side * side, (side * side) / 4];

/** Picture of one colour, from 16 to 235 per component. */
export interface PlainPicture {
  /** Width in macroblocks; `rows` is the height in macroblocks. */
  readonly columns: number;
  readonly rows: number;
  readonly colour: readonly [luma: number, blue: number, red: number];
}

/** Returns the parameter sets that a decoder needs first (Baseline profile). */
export function parameterSets({ columns, rows }: PlainPicture): {
  readonly sequence: Buffer;
  readonly picture: Buffer;
} {
  const sequence = new BitWriter()
    // Baseline profile, both constraint flags, level 3.
    .bits(66, 8)
    .bits(0xc0, 8)
    .bits(30, 8)
    // Id, 4-bit frame numbers, pictures in display order, one reference frame.
    .codes(0, 0, 2, 1)
    .bits(0, 1)
    .codes(columns - 1, rows - 1)
    // Frames without fields, direct inference, no cropping, no VUI.
    .bits(0b1100, 4)
    .end();
  const picture = new BitWriter()
    // Ids; variable-length codes; no slice groups; one reference each; no weights; no quality offsets.
    .codes(0, 0)
    .bits(0, 2)
    .codes(0, 0, 0)
    .bits(0, 3)
    .codes(0, 0, 0)
    // The deblocking filter is set in each slice.
    .bits(0b100, 3)
    .end();
  return { sequence: streamUnit(0x67, sequence), picture: streamUnit(0x68, picture) };
}

/** Returns the first picture, with uncompressed samples. */
export function firstPicture({ columns, rows, colour }: PlainPicture): Buffer {
  const [luma, blue, red] = colour;
  const samples = [
    ...Array.from({ length: lumaSamples }, () => luma),
    ...Array.from({ length: chromaSamples }, () => blue),
    ...Array.from({ length: chromaSamples }, () => red),
  ];
  // An intra slice from the first macroblock on, frame 0, no marking, default quality, no deblocking.
  const slice = new BitWriter().codes(0, 7, 0).bits(0, 4).codes(0).bits(0, 2).codes(0, 1);
  for (let at = 0; at < columns * rows; at++) slice.codes(25).align().bytes(samples);
  return streamUnit(0x65, slice.end());
}

/** Returns a later picture without changes. */
export function nextPicture({ columns, rows }: PlainPicture, number: number): Buffer {
  // Predicted slice: frame number, no changes of references, default quality, no deblocking. All macroblocks are
  // skipped.
  const slice = new BitWriter()
    .codes(0, 5, 0)
    .bits(number % 16, 4)
    .bits(0, 3)
    .codes(0, 1);
  return streamUnit(0x41, slice.codes(columns * rows).end());
}

/** Returns a unit: its head and its payload, with an escape before bytes that look like the start of a unit. */
function streamUnit(head: number, payload: Buffer): Buffer {
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
