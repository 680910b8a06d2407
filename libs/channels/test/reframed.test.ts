import { describe, expect, test } from "vitest";
import { reframeAnswer } from "../src/send-attempt.ts";
import type { BodySink, UpstreamAnswer } from "../src/attempt-plan.ts";

const upper = {
  from: "application/x-frames",
  to: "text/event-stream",
  open: () => ({
    push(chunk: Buffer) {
      if (chunk.includes("!")) throw new RangeError("damaged");
      return Buffer.from(chunk.toString().trim().toUpperCase());
    },
  }),
};

/** Creates an answer whose body the test sends, and a sink that records what it receives. */
function answerOf(type: string) {
  let sink: BodySink | undefined;
  const received: string[] = [];
  const answer: UpstreamAnswer = {
    status: 200,
    headers: { "content-type": type },
    pipe: (taker) => (sink = taker),
    pause: () => received.push("pause"),
    resume: () => received.push("resume"),
    abort: () => received.push("abort"),
  };
  const recordingSink: BodySink = {
    data: (chunk) => received.push(chunk.toString()),
    end: () => received.push("end"),
    fail: (error) => received.push(error.message),
  };
  return { answer, taken: recordingSink, receivedEvents: received, vendor: () => sink ?? recordingSink };
}

describe("reframed()", () => {
  test("a stream has its wire's framing, and empty chunks are dropped", () => {
    const { answer, taken, receivedEvents, vendor } = answerOf("application/x-frames; v=1");
    const converted = reframeAnswer(answer, upper);
    expect(converted.headers["content-type"]).toBe("text/event-stream");
    converted.pipe(taken);
    for (const chunk of ["a", " ", "b"]) vendor().data(Buffer.from(chunk));
    converted.pause();
    converted.resume();
    vendor().end();
    expect(receivedEvents).toEqual(["A", "B", "pause", "resume", "end"]);
  });

  test("a damaged stream fails at the damage, once", () => {
    const { answer, taken, receivedEvents, vendor } = answerOf("application/x-frames");
    reframeAnswer(answer, upper).pipe(taken);
    for (const chunk of ["a", "!", "b"]) vendor().data(Buffer.from(chunk));
    vendor().end();
    vendor().fail(new Error("late"));
    expect(receivedEvents).toEqual(["A", "abort", "damaged"]);
  });

  test.each([
    ["of another type", "application/json", upper],
    ["of a wire without reframing", "application/x-frames", undefined],
  ])("an answer %s is unchanged", (_, type, reframing) => {
    const { answer } = answerOf(type);
    expect(reframeAnswer(answer, reframing)).toBe(answer);
  });
});
