import type { UpstreamAnswer } from "./upstream.ts";

/** The beginning of a body as text, at most `mostBytes`; what is beyond, or breaks off, is left. Never rejects. */
export function readText(answer: UpstreamAnswer, mostBytes: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  let size = 0;
  const done = (): void => resolve(Buffer.concat(chunks).toString("utf8", 0, mostBytes));
  answer.pipe({
    data(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size < mostBytes) return;
      done();
      answer.abort();
    },
    end: done,
    broken: done,
  });
  return promise;
}
