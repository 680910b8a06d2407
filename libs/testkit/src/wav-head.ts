export interface PcmForm {
  readonly sampleRate: number;
  readonly channels: number;
  readonly bits: 8 | 16;
}

/** Returns the header of a WAV file with `dataBytes` bytes of samples; 0xffffffff if their number is unknown. */
export function wavHead({ sampleRate, channels, bits }: PcmForm, dataBytes: number): Buffer {
  const frameBytes = (channels * bits) / 8;
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(Math.min(36 + dataBytes, 0xff_ff_ff_ff), 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(sampleRate * frameBytes, 28);
  head.writeUInt16LE(frameBytes, 32);
  head.writeUInt16LE(bits, 34);
  head.write("data", 36);
  head.writeUInt32LE(dataBytes, 40);
  return head;
}
