import type { Behaviour } from "../../behaviour.ts";
import { nowSeconds } from "../../core/ids.ts";
import { addressOfPicture } from "../../pictures/index.ts";
import { pictureOf } from "../../pictures/picture.ts";
import type { Frame, Streamed } from "../../stream.ts";
import type { ImagesAsked } from "./read.ts";

/** What this vendor counts for an image, either way. */
const tokensPerImage = 1_056;
const tokensPerInputImage = 323;

function usageOf({ question, count, images }: ImagesAsked, { usage }: Behaviour): object | undefined {
  if (usage === null) return undefined;
  const [text, image, output] = [question.promptTokens, images * tokensPerInputImage, count * tokensPerImage];
  return (
    usage ?? {
      input_tokens: text + image,
      input_tokens_details: { text_tokens: text, image_tokens: image },
      output_tokens: output,
      total_tokens: text + image + output,
    }
  );
}

/** Words of one of several pictures: each has another colour. */
const wordsOf = ({ question: { words } }: ImagesAsked, at: number): string => (at === 0 ? words : `${words} ${at}`);

function looksOf({ background, format, quality, size: { width, height } }: ImagesAsked): object {
  return { background, output_format: format, quality, size: `${width}x${height}` };
}

/** A whole answer; `host` is where the vendor's pictures are. */
export function renderImages(asked: ImagesAsked, behaviour: Behaviour, host: string): object {
  const { count, size, format, asUrls } = asked;
  const every = Array.from({ length: count }, (_, at) => ({ words: wordsOf(asked, at), ...size, format }));
  const created = nowSeconds();
  if (asUrls)
    return {
      created,
      data: every.map((wish) => ({ url: addressOfPicture(host, wish), revised_prompt: `A picture: ${wish.words}` })),
    };
  const usage = usageOf(asked, behaviour);
  return {
    created,
    ...looksOf(asked),
    data: every.map((wish) => ({ b64_json: pictureOf(wish).toString("base64") })),
    ...(usage && { usage }),
  };
}

/** A picture as it comes into being, each time in another colour. */
export function streamImages(asked: ImagesAsked, behaviour: Behaviour, act: "generation" | "edit"): Streamed {
  const usage = usageOf(asked, behaviour);
  const event = (type: string, words: string, more: object): string =>
    JSON.stringify({
      type: `image_${act}.${type}`,
      b64_json: pictureOf({ words, ...asked.size, format: asked.format }).toString("base64"),
      created_at: nowSeconds(),
      ...looksOf(asked),
      ...more,
    });
  const frame = (type: string, data: string, more: Partial<Frame>): Frame => ({
    event: `image_${act}.${type}`,
    data,
    ...more,
  });
  return {
    frames: (function* () {
      for (let at = 0; at < asked.partials; at++)
        yield frame(
          "partial_image",
          event("partial_image", `${asked.question.words} partial ${at}`, { partial_image_index: at }),
          { content: true },
        );
      yield frame("completed", event("completed", wordsOf(asked, 0), { ...(usage && { usage }) }), {
        content: true,
        last: true,
      });
    })(),
    error: (message) => ({
      event: "error",
      data: JSON.stringify({ type: "error", error: { type: "server_error", message } }),
    }),
  };
}
