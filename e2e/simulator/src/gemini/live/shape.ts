import { Shapes } from "../../checks/notation.ts";

const messages = new Shapes(String.raw`
  Blob = { data: base64, mimeType: /^(audio\/pcm(;rate=\d+)?|image\/[\w.+-]+)$/ "a media type of PCM or of a picture" };
  Content = { parts: { text?: string, inlineData?: Blob, thought?: boolean }[1..], role?: "user" | "model" };
  Speech = { voiceConfig?: { prebuiltVoiceConfig: { voiceName: filled } }, languageCode?: string };
  FunctionDeclaration = {
    name: /^[\w.:-]{1,128}$/ "a function's name", description?: string, parameters?: object, parametersJsonSchema?: object
  };
  Settings = {
    generationConfig?: {
      responseModalities?: ("TEXT" | "AUDIO")[1..1], maxOutputTokens?: integer(1), temperature?: number(0, 2),
      speechConfig?: Speech
    },
    systemInstruction?: Content, tools?: { functionDeclarations: FunctionDeclaration[] }[],
    realtimeInputConfig?: {
      automaticActivityDetection?: { disabled?: boolean, prefixPaddingMs?: integer(0), silenceDurationMs?: integer(0) },
      activityHandling?: "START_OF_ACTIVITY_INTERRUPTS" | "NO_INTERRUPTION"
    },
    inputAudioTranscription?: {}, outputAudioTranscription?: {}
  };
  Input = { audio?: Blob, video?: Blob, text?: string, activityStart?: {}, activityEnd?: {}, audioStreamEnd?: boolean };
  Others =
    | { clientContent: { turns?: Content[], turnComplete?: boolean } }
    | { realtimeInput: Input }
    | { toolResponse: { functionResponses: { id: filled, name: filled, response: object }[1..] } };
  GeminiModel = /^models\/.+/ "models/ and a name";
  VertexModel = /^projects\/[^/]+\/locations\/[^/]+\/publishers\/google\/models\/[^/]+$/ "a model of a project";
  gemini = { setup: { model: GeminiModel, ...Settings } } | Others;
  vertex = { setup: { model: VertexModel, ...Settings } } | Others;
`);

/** Shapes of client messages. The vendors require different forms of model names. */
export const clientMessages = { gemini: messages.of("gemini"), vertex: messages.of("vertex") } as const;
