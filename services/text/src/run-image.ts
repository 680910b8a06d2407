import type { Units } from "@modelgate/contracts";
import { once, type ServiceCall } from "@modelgate/platform";
import {
  dearestTokens,
  estimateTokens,
  isSupported,
  mostBilledImages,
  runCall,
  wholeOutput,
  type CallPlan,
  type Exchange,
  type Measure,
  type PlannedCall,
  type PricedModel,
  type RequestSize,
} from "@modelgate/relay";
import { imagesExchange, imagesWiresFor, InputImages, refuseDearer, type ImagesCall } from "@modelgate/relay/images";
import { imagesInContent } from "@modelgate/wires/images";
import { parseRecord } from "@modelgate/wires/json";
import { parseFrameRecord } from "@modelgate/wires/sse";
import type { Deps } from "./deps.ts";
import { drawingSpelling, readDrawing, type Drawing } from "./drawn-content.ts";
import { planText, type AskedText } from "./text-call.ts";

const sizeParam = "generationConfig.imageConfig.imageSize";

/**
 * Runs a call for generated content by a model of images, paid for by the image as well as by the token: passed to
 * vendors of that wire, drawn by those of images elsewhere. Throws Failure (400) naming the field.
 */
export async function runImage(deps: Deps, call: ServiceCall, asked: AskedText, drawing: Drawing): Promise<void> {
  using inputs = new DisposableStack();
  const drawn = once(async () => {
    const { ask, render } = await readDrawing(drawing);
    return { ask, render, input: inputs.use(new InputImages(deps.images, ask.request, call.answer)) };
  });
  await runCall(deps.relay, call, drawing.model, (serving) =>
    planImage(deps, call, { asked, drawing, drawn }, serving),
  );
}

/** A request for generated content by a model of images. */
interface AskedImage {
  readonly asked: AskedText;
  readonly drawing: Drawing;
  /** Reads it as a request for images. */
  readonly drawn: () => Promise<Pick<ImagesCall, "ask" | "render" | "input">>;
}

async function planImage(
  deps: Deps,
  call: ServiceCall,
  { asked, drawing, drawn }: AskedImage,
  serving: PricedModel,
): Promise<PlannedCall> {
  const { model, unpriced } = serving;
  const wanted = { size: drawing.imageSize, spelling: { size: sizeParam } };
  const paid = (exchange: Exchange): Exchange => {
    if (unpriced === "refuse") refuseDearer(wanted, model.price, exchange);
    return exchange;
  };
  const measured = {
    ...asked,
    hearsOut: true,
    measure: (size: RequestSize) => measureOf(size, model, deps.relay.limits.outputTokens),
  };
  if (isSupported(deps.relay, call, { model, wires: ["content"] })) {
    const exchange: AskedText["exchange"] = async ({ usual }) => countingImages(paid(await usual()));
    return await planText(deps, call, { ...measured, wires: ["content"], exchange }, serving);
  }
  const { ask, render, input } = await drawn();
  const asker = { spelling: drawingSpelling, strict: call.strict };
  const exchange: AskedText["exchange"] = async ({ route: { wire, candidate } }) =>
    paid(await imagesExchange({ deps: deps.images, asker, ask, input, render }, wire, candidate.upstreamModel));
  return await planText(deps, call, { ...measured, wires: imagesWiresFor(ask.request), exchange }, serving);
}

function measureOf(size: RequestSize, model: CallPlan["model"], usualTokens: number): Measure {
  const { textBytes, mediaTokens, choices } = size;
  const output = wholeOutput(size, model, usualTokens);
  return {
    upper: { images: choices, ...dearestTokens({ input: textBytes + mediaTokens, output }, model.price) },
    most: { images: mostBilledImages(choices) },
    floor: { images: choices, inputTokens: estimateTokens(textBytes) + mediaTokens },
    meter: (reported) => Promise.resolve({ units: reported ?? { images: choices }, estimated: reported === undefined }),
  };
}

/** The same exchange, images being part of its usage. */
function countingImages(exchange: Exchange): Exchange {
  return {
    ...exchange,
    read(head) {
      const reader = exchange.read(head);
      if (reader.kind === "stream")
        return { ...reader, countImages: (frame) => imagesInContent(parseFrameRecord(frame)) };
      if (reader.kind === "task") return reader;
      return {
        ...reader,
        async read(bytes) {
          const answer = await reader.read(bytes);
          return { ...answer, usage: withImages(answer.usage, imagesInContent(parseRecord(bytes.toString()))) };
        },
      };
    },
  };
}

function withImages(usage: Units | undefined, images: number): Units | undefined {
  return images === 0 ? usage : { ...usage, images };
}
