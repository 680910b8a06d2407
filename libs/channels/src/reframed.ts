import type { Reframing } from "@modelgate/providers";
import type { BodySink, UpstreamAnswer } from "./upstream.ts";

/** An answer whose stream is in the framing of its wire; any other answer is as it came. */
export function reframed(answer: UpstreamAnswer, reframing: Reframing | undefined): UpstreamAnswer {
  const { status, headers } = answer;
  const type = headers["content-type"];
  if (reframing === undefined || typeof type !== "string" || !type.startsWith(reframing.from)) return answer;
  return {
    status,
    headers: { ...headers, "content-type": reframing.to },
    pipe: (sink) => answer.pipe(reframedSink(answer, reframing, sink)),
    pause: () => answer.pause(),
    resume: () => answer.resume(),
    abort: () => answer.abort(),
  };
}

/** A stream that is damaged breaks off there. */
function reframedSink(answer: Pick<UpstreamAnswer, "abort">, reframing: Reframing, sink: BodySink): BodySink {
  const reframer = reframing.open();
  let isOver = false;
  return {
    data(chunk) {
      if (isOver) return;
      try {
        const bytes = reframer.push(chunk);
        if (bytes.length > 0) sink.data(bytes);
      } catch (error) {
        isOver = true;
        answer.abort();
        sink.broken(error instanceof Error ? error : new Error(String(error)));
      }
    },
    end() {
      if (!isOver) sink.end();
    },
    broken(error) {
      if (!isOver) sink.broken(error);
    },
  };
}
