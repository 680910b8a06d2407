import {
  anyObject,
  anyText,
  base64,
  closed,
  either,
  filledText,
  flag,
  integer,
  list,
  number,
  oneOf,
  text,
  type Shape,
} from "../../checks/shape.ts";

const blob = closed({
  data: base64,
  mimeType: text(/^(audio\/pcm(;rate=\d+)?|image\/[\w.+-]+)$/, "a media type of PCM or of a picture"),
});
const part = closed({}, { text: anyText, inlineData: blob, thought: flag });
const content = closed({ parts: list(part, { least: 1 }) }, { role: oneOf("user", "model") });
const generationConfig = closed(
  {},
  {
    responseModalities: list(oneOf("TEXT", "AUDIO"), { least: 1, most: 1 }),
    maxOutputTokens: integer(1),
    temperature: number(0, 2),
    speechConfig: closed(
      {},
      { voiceConfig: closed({ prebuiltVoiceConfig: closed({ voiceName: filledText }) }), languageCode: anyText },
    ),
  },
);
const settings = {
  generationConfig,
  systemInstruction: content,
  tools: list(
    closed({
      functionDeclarations: list(
        closed(
          { name: text(/^[\w.:-]{1,128}$/, "a function's name") },
          { description: anyText, parameters: anyObject, parametersJsonSchema: anyObject },
        ),
      ),
    }),
  ),
  realtimeInputConfig: closed(
    {},
    {
      automaticActivityDetection: closed(
        {},
        { disabled: flag, prefixPaddingMs: integer(0), silenceDurationMs: integer(0) },
      ),
      activityHandling: oneOf("START_OF_ACTIVITY_INTERRUPTS", "NO_INTERRUPTION"),
    },
  ),
  inputAudioTranscription: closed({}),
  outputAudioTranscription: closed({}),
};

/** How each vendor of this format wants its models named. */
export const modelNames = {
  gemini: text(/^models\/.+/, "models/ and a name"),
  vertex: text(/^projects\/[^/]+\/locations\/[^/]+\/publishers\/google\/models\/[^/]+$/, "a model of a project"),
} as const;

/** Every message that a client may send: exactly one of its members. */
export const clientMessage = (model: Shape): Shape =>
  either(closed({ setup: closed({ model }, settings) }), ...otherMessages);

const otherMessages = [
  closed({ clientContent: closed({}, { turns: list(content), turnComplete: flag }) }),
  closed({
    realtimeInput: closed(
      {},
      {
        audio: blob,
        video: blob,
        text: anyText,
        activityStart: closed({}),
        activityEnd: closed({}),
        audioStreamEnd: flag,
      },
    ),
  }),
  closed({
    toolResponse: closed({
      functionResponses: list(closed({ id: filledText, name: filledText, response: anyObject }), { least: 1 }),
    }),
  }),
] as const;
