import type { TextAnswer } from "../hub/answer.ts";
import type { AnswerContext } from "../hub/codec.ts";
import { replay } from "../hub/replay.ts";
import type { TextRequest } from "../hub/request.ts";
import { CompletionsWriter } from "./writer.ts";

/** The answers to all prompts as one stream, in the order of the prompts. */
export function streamPromptAnswers(
  all: readonly { readonly request: TextRequest; readonly answer: TextAnswer }[],
  context: AnswerContext,
): string {
  const writer = new CompletionsWriter(context);
  const rendered = all.map(({ request, answer }, prompt) => {
    const before = prompt === 0 ? "" : writer.next(request);
    return (
      before +
      replay(answer)
        .map((event) => writer.write(event))
        .join("")
    );
  });
  return rendered.join("") + writer.end();
}
