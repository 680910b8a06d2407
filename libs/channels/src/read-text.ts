import type { UpstreamAnswer } from "./upstream.ts";

/** The beginning of a body as text, at most `mostBytes`; what is beyond, or breaks off, is left. Never rejects. */
export async function readText(answer: UpstreamAnswer, mostBytes: number): Promise<string> {
  return (await readUpTo(answer, mostBytes)).text;
}

/** The same, with whether the answer came to its end: a text that was cut off may have said more. */
export function readUpTo(
  answer: UpstreamAnswer,
  mostBytes: number,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const { promise, resolve } = Promise.withResolvers<{ text: string; isWhole: boolean }>();
  const chunks: Buffer[] = [];
  let size = 0;
  const done = (isWhole: boolean): void =>
    resolve({ text: Buffer.concat(chunks).toString("utf8", 0, mostBytes), isWhole });
  answer.pipe({
    data(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size < mostBytes) return;
      done(false);
      answer.abort();
    },
    end: () => done(true),
    broken: () => done(false),
  });
  return promise;
}
