import type { Behaviour } from "../../behaviour.ts";
import { nowSeconds } from "../../core/ids.ts";
import { addressOfPicture } from "../../pictures/index.ts";
import { pictureOf } from "../../pictures/picture.ts";
import type { Frame, Streamed } from "../../stream.ts";
import type { ImagesRequest } from "./read.ts";

const tokensPerImage = 1_056;
const tokensPerInputImage = 323;

function usageOf({ question, count, images }: ImagesRequest, { usage }: Behaviour): object | undefined {
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

/** Returns the text of a picture, which selects its colour. Each picture of a request has a different one. */
const textOf = ({ question: { words } }: ImagesRequest, at: number): string => (at === 0 ? words : `${words} ${at}`);

function echoedOptions({ background, format, quality, size: { width, height } }: ImagesRequest): object {
  return { background, output_format: format, quality, size: `${width}x${height}` };
}

/** Renders a complete answer. `host` is the host of the pictures' addresses. */
export function renderImages(request: ImagesRequest, behaviour: Behaviour, host: string): object {
  const { count, size, format, asUrls } = request;
  const every = Array.from({ length: count }, (_, at) => ({ words: textOf(request, at), ...size, format }));
  const created = nowSeconds();
  if (asUrls)
    return {
      created,
      data: every.map((picture) => ({
        url: addressOfPicture(host, picture),
        revised_prompt: `A picture: ${picture.words}`,
      })),
    };
  const usage = usageOf(request, behaviour);
  return {
    created,
    ...echoedOptions(request),
    data: every.map((picture) => ({ b64_json: pictureOf(picture).toString("base64") })),
    ...(usage && { usage }),
  };
}

/** Renders a stream of partial pictures, each in a different colour. */
export function streamImages(request: ImagesRequest, behaviour: Behaviour, act: "generation" | "edit"): Streamed {
  const usage = usageOf(request, behaviour);
  const event = (type: string, words: string, more: object): string =>
    JSON.stringify({
      type: `image_${act}.${type}`,
      b64_json: pictureOf({ words, ...request.size, format: request.format }).toString("base64"),
      created_at: nowSeconds(),
      ...echoedOptions(request),
      ...more,
    });
  const frame = (type: string, data: string, more: Partial<Frame>): Frame => ({
    event: `image_${act}.${type}`,
    data,
    ...more,
  });
  return {
    frames: (function* () {
      for (let at = 0; at < request.partials; at++)
        yield frame(
          "partial_image",
          event("partial_image", `${request.question.words} partial ${at}`, { partial_image_index: at }),
          { content: true },
        );
      yield frame("completed", event("completed", textOf(request, 0), { ...(usage && { usage }) }), {
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
