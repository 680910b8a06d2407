import { transcriptFor, secondsOf } from "../audio/transcript.ts";
import { pcm } from "../audio/formats.ts";
import { synthesize } from "../audio/voice.ts";
import { listAt, memberOf, textAt } from "../checks/members.ts";
import { Refusal } from "../checks/refusal.ts";
import { questionFrom } from "../core/question.ts";
import { tokensOf } from "../core/tokens.ts";
import type { ParsedRequest } from "../vendor.ts";
import { readGenerate } from "./read.ts";

const voices: ReadonlySet<string> = new Set(
  (
    "Achernar Achird Algenib Algieba Alnilam Aoede Autonoe Callirrhoe Charon Despina Enceladus Erinome Fenrir Gacrux " +
    "Iapetus Kore Laomedeia Leda Orus Puck Pulcherrima Rasalgethi Sadachbia Sadaltager Schedar Sulafat Umbriel " +
    "Vindemiatrix Zephyr Zubenelgenubi"
  ).split(" "),
);

/** Tokens per second of generated and of received speech. */
const [outputTokensPerSecond, inputTokensPerSecond] = [25, 32];

/** Reads a request for speech or a transcript; undefined for any other request. */
export function soundIn(body: unknown, model: string): Promise<ParsedRequest> | ParsedRequest | undefined {
  const parts = listAt(body, "contents").flatMap((content) => listAt(content, "parts"));
  if (model.includes("-tts")) return speech(body, model);
  const recorded = parts.map((part) => memberOf(part, "inlineData")).find((data) => isAudio(data));
  const task = parts.map((part) => textAt(part, "text") ?? "").join("\n");
  return recorded !== undefined && /\b(?:write down|transcribe)\b/i.test(task) ? transcript(recorded, task) : undefined;
}

function isAudio(data: unknown): boolean {
  return textAt(data, "mimeType")?.startsWith("audio/") === true;
}

/** Reads a request for speech. The answer has samples of 24 kHz, without a header. */
function speech(body: unknown, model: string): ParsedRequest {
  const config = memberOf(body, "generationConfig");
  const modalities = listAt(config, "responseModalities");
  if (modalities.length !== 1 || modalities[0] !== "AUDIO")
    throw new Refusal(400, "The requested combination of response modalities (TEXT) is not supported by the model.");
  const { question } = readGenerate(body, model);
  const voiceConfig = memberOf(memberOf(config, "speechConfig"), "voiceConfig");
  const voice = textAt(memberOf(voiceConfig, "prebuiltVoiceConfig"), "voiceName") ?? "Kore";
  if (!voices.has(voice)) throw new Refusal(400, `Voice name ${voice} is not supported.`);
  return {
    directive: question.directive,
    whole() {
      const spokenText = synthesize(question.words, { voice, speed: 1 });
      const [input, output] = [tokensOf(question.words), Math.ceil(spokenText.seconds * outputTokensPerSecond)];
      const data = Buffer.concat([...pcm(spokenText)]).toString("base64");
      return {
        candidates: [
          {
            index: 0,
            content: { role: "model", parts: [{ inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data } }] },
            finishReason: "STOP",
          },
        ],
        usageMetadata: {
          promptTokenCount: input,
          candidatesTokenCount: output,
          totalTokenCount: input + output,
          promptTokensDetails: [{ modality: "TEXT", tokenCount: input }],
          candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: output }],
        },
        modelVersion: model,
      };
    },
  };
}

async function transcript(recorded: unknown, task: string): Promise<ParsedRequest> {
  const bytes = Buffer.from(textAt(recorded, "data") ?? "", "base64");
  const seconds = await secondsOf(bytes, textAt(recorded, "mimeType") ?? "");
  if (seconds === undefined) throw new Refusal(400, "Unable to process input audio.");
  const { directive } = questionFrom("", [task]);
  return {
    directive,
    whole({ text: spokenText }) {
      const { text } = transcriptFor(seconds, spokenText);
      const [audio, words, output] = [Math.ceil(seconds * inputTokensPerSecond), tokensOf(task), tokensOf(text)];
      return {
        candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
        usageMetadata: {
          promptTokenCount: audio + words,
          candidatesTokenCount: output,
          totalTokenCount: audio + words + output,
          promptTokensDetails: [
            { modality: "TEXT", tokenCount: words },
            { modality: "AUDIO", tokenCount: audio },
          ],
        },
      };
    },
  };
}
