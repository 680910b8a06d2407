import { listAt, memberOf, numberAt, textAt } from "../checks/members.ts";
import { requireShape, wrongField } from "../checks/refusal.ts";
import { Shapes } from "../checks/notation.ts";
import { questionFrom, type Question } from "../core/question.ts";
import type { PictureSize } from "../pictures/picture.ts";

/** Parsed request for pictures. */
export interface PicturesRequest {
  readonly question: Question;
  readonly size: PictureSize;
  readonly count: number;
}

const shapes = new Shapes(String.raw`
  Parameters = {
    size?: /^\d{2,4}\*\d{2,4}$/ "a size such as 1328*1328", n?: integer(1, 6), negative_prompt?: string,
    prompt_extend?: boolean, watermark?: boolean, seed?: integer(0, 2147483647)
  };
  Picture = /^(?:https?:\/\/|data:image\/(?:png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$)/ "a URL or Base64 image";
  Generation = {
    model: filled,
    input: { messages: { role: "user", content: { text?: string, image?: Picture }[1..] }[1..1] },
    parameters?: Parameters
  };
  Synthesis = {
    model: filled, input: { prompt: filled, negative_prompt?: string, images?: Picture[1..3] }, parameters?: Parameters
  };
`);
const [generation, synthesis] = [shapes.of("Generation"), shapes.of("Synthesis")];
const longestPrompt = 800;
const maxPictures = 3;

/** Reads a request without a task. Throws a Refusal if it is invalid. */
export function readGeneration(body: unknown): PicturesRequest {
  requireShape(body, generation);
  const content = listAt(listAt(memberOf(body, "input"), "messages")[0], "content");
  const words = content.flatMap((item) => textAt(item, "text") ?? []);
  const pictures = content.filter((item) => memberOf(item, "image") !== undefined);
  const model = textAt(body, "model") ?? "";
  const [prompt = ""] = words;
  if (words.length !== 1 || prompt.length > longestPrompt)
    throw wrongField(["input", "messages"], `There must be one text of at most ${longestPrompt} characters.`);
  if (pictures.length > maxPictures || (pictures.length === 0 && model.includes("edit")))
    throw wrongField(["input", "messages"], `There must be one to ${maxPictures} images.`);
  return picturesRequest(body, model, prompt);
}

/** Reads a request for a task. Throws a Refusal if it is invalid. */
export function readSynthesis(body: unknown, fromPictures: boolean): PicturesRequest {
  requireShape(body, synthesis);
  const input = memberOf(body, "input");
  if (fromPictures !== listAt(input, "images").length > 0)
    throw wrongField(["input", "images"], fromPictures ? "images are required." : "images are not taken here.");
  return picturesRequest(body, textAt(body, "model") ?? "", textAt(input, "prompt") ?? "");
}

function picturesRequest(body: unknown, model: string, words: string): PicturesRequest {
  const options = memberOf(body, "parameters");
  const [, width = 1_328, height = 1_328] = /^(\d+)\*(\d+)$/.exec(textAt(options, "size") ?? "")?.map(Number) ?? [];
  return { question: questionFrom(model, [words]), size: { width, height }, count: numberAt(options, "n") ?? 1 };
}
