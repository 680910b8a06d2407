import {
  requireStreamOf,
  type UpstreamHead,
  type AnswerReader,
  type StreamTranslator,
  type WholeAnswer,
} from "@modelgate/relay";
import { beginsIn, type StreamForm } from "@modelgate/wires/sse";
import type { TextAnswer } from "@modelgate/wires/text";

/** Reads answers in the form that the call requested: complete, or as a stream in the framing of the vendor's wire. */
export function textReader(
  { stream }: { readonly stream: boolean },
  upstream: StreamForm,
  how: {
    whole(bytes: Buffer): Promise<WholeAnswer>;
    translator(how: { readonly mayBeCut: boolean }): StreamTranslator;
  },
): (head: UpstreamHead) => AnswerReader {
  const { framing } = upstream;
  return (head) => {
    if (!stream) return { kind: "whole", read: (bytes) => how.whole(bytes) };
    requireStreamOf(framing, head);
    return {
      kind: "stream",
      framing,
      begins: (first) => beginsIn(upstream, first),
      translator: (cut) => how.translator(cut),
    };
  };
}

/** Returns the text that the model wrote in a complete answer. */
export function wordsOf({ choices }: TextAnswer): string {
  const parts = choices.flatMap((choice) => choice.parts);
  return parts.map((part) => (part.kind === "tool-call" ? part.arguments : "text" in part ? part.text : "")).join("");
}
