import { bodies } from "@modelgate/contracts";
import type { Static } from "typebox";
import { Compile } from "typebox/compile";
import { firstProblem } from "../../json/problem.ts";
import type { TextAsk } from "../ask.ts";
import { bytesMedia, mediaOf, type MediaMeasure } from "../media.ts";

/** What admission must know, and whether there is anything to answer. */
export interface OllamaAsk extends TextAsk {
  readonly saysNothing: boolean;
}

const chatShape = Compile(bodies.OllamaChatRequest);
const generateShape = Compile(bodies.OllamaGenerateRequest);

/** The members that decide what a call may do and cost. */
export const relied = ["model", "stream", "messages", "prompt", "system", "images", "tools", "think", "options"].concat(
  "options.num_predict",
);

/** Checks a request for a chat. Throws Failure (400) naming the field. */
export function askOfChat(body: unknown): OllamaAsk {
  if (!chatShape.Check(body)) throw firstProblem(chatShape.Errors(body), body);
  return { ...askOf(body, body.messages), saysNothing: (body.messages ?? []).length === 0 };
}

/** Checks a request for a continued prompt. Throws Failure (400) naming the field. */
export function askOfGenerate(body: unknown): OllamaAsk {
  if (!generateShape.Check(body)) throw firstProblem(generateShape.Errors(body), body);
  const saysNothing = (body.prompt ?? "") === "" && (body.images ?? []).length === 0;
  return { ...askOf(body, [{ images: body.images }]), saysNothing };
}

type Body = Pick<Static<typeof bodies.OllamaChatRequest>, "model" | "stream" | "options">;

/** Answers are streams where a request does not say otherwise. */
function askOf({ model, stream, options }: Body, said: unknown): TextAsk {
  const most = options?.num_predict ?? undefined;
  return {
    model,
    stream: stream ?? true,
    includeUsage: true,
    maxOutputTokens: most === undefined || most < 0 ? undefined : most,
    boundNames: [],
    readsBeyond: false,
    choices: 1,
    media: mediaOf(said, measureImages),
  };
}

/** Images stand beside the words that they belong to, as Base64. */
const measureImages: MediaMeasure = ({ images }) => {
  if (!Array.isArray(images)) return undefined;
  const all = images.flatMap((image: unknown) => (typeof image === "string" ? [bytesMedia("image/", image)] : []));
  return {
    characters: all.reduce((sum, { characters }) => sum + characters, 0),
    tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
  };
};
