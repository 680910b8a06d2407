export { refuseAmbiguous } from "./json/ambiguous.ts";
export { nestsDeeper } from "./json/depth.ts";
export { firstProblem } from "./json/problem.ts";
export { spliceMembers } from "./json/splice.ts";
export { modelLists, type ListedModel, type ModelList } from "./models/lists.ts";
export { SseDecoder, type SseFrame } from "./sse/decode.ts";
export { SseSplitter } from "./sse/split.ts";
export type { TextAsk } from "./text/ask.ts";
export { askOfChat, reliedOfChat } from "./text/chat/ask.ts";
export type { EarlyEnd, EarlyEndOptions } from "./text/early-end.ts";
export type { PassCodec, SeenFrame, StreamPassCodec } from "./text/pass.ts";
export { clientCodecs, textCodecs, textPasses, type ClientWire } from "./text/codecs.ts";
export type { TextAnswer, TextEvent } from "./text/hub/answer.ts";
export type { AnswerContext, Parsed, Rendered, StreamReader, StreamWriter, TextCodec } from "./text/hub/codec.ts";
export { textWires, type JsonObject, type TextRequest, type TextWire } from "./text/hub/request.ts";
export { arrayFraming, sseFraming, type Framing } from "./text/content/framing.ts";
export { contentArrayWriter } from "./text/content/index.ts";
export { askOfContent, countedContent, reliedOfContent } from "./text/content/ask.ts";
export { askOfMessageCount, askOfMessages, reliedOfMessages } from "./text/messages/ask.ts";
export { askOfResponses, reliedOfResponses, type ResponsesAsk } from "./text/responses/ask.ts";
export { isRecord, type JsonRecord } from "./json/fields.ts";
export { responseOfItem } from "./text/responses/item-ids.ts";
export { changeResponsesBody } from "./text/responses/pass.ts";
export { hasEnvelope } from "./text/hub/seals.ts";
export { unsealed } from "./text/hub/unsealed.ts";
export type { Ask } from "./kind/ask.ts";
export type { KindCodec } from "./kind/codec.ts";
export { askOfEmbeddings, reliedOfEmbeddings } from "./vectors/embeddings/ask.ts";
export { embeddingsCodec } from "./vectors/embeddings/index.ts";
export { askOfBatchEmbedContents, askOfEmbedContent, reliedOfContentEmbeddings } from "./vectors/content/ask.ts";
export { batchEmbedContentsCodec, embedContentCodec } from "./vectors/content/index.ts";
export type { VectorsCodec } from "./vectors/hub/codec.ts";
export type { VectorsRequest } from "./vectors/hub/request.ts";
export { cohereCodec } from "./ranking/cohere/index.ts";
export { askOfRerank, reliedOfRerank } from "./ranking/jina/ask.ts";
export { jinaCodec } from "./ranking/jina/index.ts";
export { parseAnswer as judgementOf } from "./moderation/by-chat/parse-answer.ts";
export { bytesOfInstructions, renderRequest as askJudgement } from "./moderation/by-chat/render-request.ts";
export type { ModerationRequest } from "./moderation/hub/request.ts";
export { askOfModerations, reliedOfModerations } from "./moderation/moderations/ask.ts";
export { moderationsCodec } from "./moderation/moderations/index.ts";
export { askOfCompletions, reliedOfCompletions } from "./text/completions/ask.ts";
export { parseRequests as parsePromptRequests } from "./text/completions/parse-request.ts";
export { renderAnswers as renderPromptAnswers } from "./text/completions/render-answer.ts";
export { streamAnswers as streamPromptAnswers } from "./text/completions/stream-answers.ts";
export {
  vendorsTranscribers,
  type Bridged,
  type RealtimeBridge,
  type RealtimeNames,
  type Transcriber,
  type TranscriberNames,
} from "./realtime/bridge.ts";
export { realtimeBridges, realtimeWires, type RealtimeWire } from "./realtime/bridges.ts";
export { errorEvent } from "./realtime/error-event.ts";
export { eventType, inputOf, lookAtEvent, parseEvent, type SeenEvent } from "./realtime/look.ts";
export type { RealtimeMessage } from "./realtime/message.ts";
export { roughUnits, type Passed } from "./realtime/usage.ts";
export { changeModel } from "./text/change-model.ts";
export { videoCodecs } from "./video/codecs.ts";
export { parseSize } from "./video/hub/size.ts";
export type { RenderedVideo, VideoCodec } from "./video/hub/codec.ts";
export type { VideoRequest } from "./video/hub/request.ts";
export type { Sighting, VideoResult } from "./video/hub/sighting.ts";
export { askedOf, type AskedVideo, type TaskContext, type VideoTask } from "./video/hub/task.ts";
export { parseRecord } from "./json/parse-record.ts";
export { wholeNumberIn } from "./whole-number.ts";
export { askOfSpeech, reliedOfSpeech } from "./speech/openai/ask.ts";
export { speechCodec } from "./speech/openai/index.ts";
export { charactersIn, speechFormats, type SpeechRequest } from "./speech/hub/request.ts";
export { askOfImageBody, askOfImageForm, imageSpelling, refuseWithoutImage, reliedOfImages } from "./images/ask.ts";
export {
  base64InUrl,
  dataUrlOf,
  renderImageEvents,
  renderImages,
  unitsOfImages,
  type ImagesAnswer,
  type MadeImage,
} from "./images/hub/answer.ts";
export type { ImagesTask, ImagesVendor } from "./images/hub/codec.ts";
export { imageFile, imageTypeOf, imageTypeOfBase64 } from "./images/hub/image-bytes.ts";
export { mostInputImages, type ImageRequest, type ImagesWire, type InputImage } from "./images/hub/request.ts";
export { imagesInContent } from "./images/content/index.ts";
export { jsonOf as parseFrameRecord } from "./text/pass-json.ts";
export { imagesVendors } from "./images/vendors.ts";
export { imagesPass } from "./images/openai/pass.ts";
export { transcriptsCodec } from "./transcripts/openai/index.ts";
export { modelIn as modelInForm } from "./transcripts/openai/parse-form.ts";
export { asSrt, asText, asVtt } from "./transcripts/hub/render.ts";
export type { FormEntry, TranscriptFormat, TranscriptsRequest, TranscriptsWire } from "./transcripts/hub/request.ts";
