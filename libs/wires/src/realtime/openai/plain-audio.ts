/** How an append of samples begins that has nothing else to say. */
const head = Buffer.from('{"type":"input_audio_buffer.append","audio":"');
const tail = Buffer.from('"}');
const backslash = 0x5c;

/**
 * Whether an event appends samples and cannot say anything else to any parser: it begins and ends like that, and has no
 * quote in between. Others are parsed to know what they are.
 */
export function isPlainAudio(data: Buffer): boolean {
  return (
    data.length >= head.length + tail.length &&
    data.subarray(0, head.length).equals(head) &&
    data.indexOf(tail[0] ?? 0, head.length) === data.length - tail.length &&
    data.subarray(-tail.length).equals(tail) &&
    data.at(-tail.length - 1) !== backslash
  );
}
