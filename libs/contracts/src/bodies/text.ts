import { Type } from "typebox";

const model = Type.String({ minLength: 1, description: "a name of GET /v1/models, exactly" });
const stream = Type.Optional(Type.Boolean({ description: "true: the answer comes as server-sent events" }));
const anyObject = Type.Record(Type.String(), Type.Unknown());

/** A part of a message's content: text, or a PDF or text file (interface endpoint 3); other types pass on. */
export const ChatPart = Type.Object(
  {
    type: Type.String(),
    text: Type.Optional(Type.String()),
    file: Type.Optional(
      Type.Object({
        filename: Type.Optional(Type.String()),
        file_data: Type.Optional(Type.String({ description: "Base64, or a data URL" })),
      }),
    ),
  },
  { $id: "ChatPart" },
);

/** POST /v1/chat/completions: the fields that the gateway relies on; all others pass untouched. */
export const ChatRequest = Type.Object(
  {
    model,
    messages: Type.Array(
      Type.Object({
        role: Type.String(),
        content: Type.Optional(Type.Union([Type.String(), Type.Array(ChatPart), Type.Null()])),
      }),
      { minItems: 1 },
    ),
    stream: Type.Optional(
      Type.Union([Type.Boolean(), Type.Null()], { description: "true: the answer comes as server-sent events" }),
    ),
    max_tokens: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
    max_completion_tokens: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
    n: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 128 }), Type.Null()])),
  },
  { $id: "ChatRequest" },
);

export const ResponsesRequest = Type.Object(
  { model, input: Type.Optional(Type.Union([Type.String(), Type.Array(anyObject)])), stream },
  { $id: "ResponsesRequest" },
);

export const CompactRequest = Type.Object(
  {
    model,
    input: Type.Optional(Type.Union([Type.String(), Type.Array(anyObject), Type.Null()])),
    instructions: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    previous_response_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { $id: "CompactRequest" },
);

export const MessagesRequest = Type.Object(
  {
    model,
    max_tokens: Type.Integer({ minimum: 1 }),
    messages: Type.Array(
      Type.Object({ role: Type.String(), content: Type.Union([Type.String(), Type.Array(anyObject)]) }),
    ),
    stream,
  },
  { $id: "MessagesRequest" },
);

export const CompletionsRequest = Type.Object(
  { model, prompt: Type.Optional(Type.Union([Type.String(), Type.Array(Type.Unknown())])), stream },
  { $id: "CompletionsRequest" },
);

const embeddingInput = Type.Union([Type.String(), Type.Array(Type.Unknown())]);
export const EmbeddingsRequest = Type.Object({ model, input: embeddingInput }, { $id: "EmbeddingsRequest" });
export const EngineEmbeddingsRequest = Type.Object({ input: embeddingInput }, { $id: "EngineEmbeddingsRequest" });

export const RerankRequest = Type.Object(
  {
    model,
    query: Type.String(),
    documents: Type.Array(Type.Union([Type.String(), anyObject])),
    top_n: Type.Optional(Type.Integer({ minimum: 1 })),
    return_documents: Type.Optional(Type.Boolean()),
  },
  { $id: "RerankRequest" },
);

export const ModerationsRequest = Type.Object(
  { model: Type.Optional(model), input: Type.Union([Type.String(), Type.Array(Type.Unknown())]) },
  { $id: "ModerationsRequest" },
);

/** Interface section 2.6. `generationConfig` is not demanded: a text call of the stock SDK omits it. */
export const GenerateContentRequest = Type.Object(
  {
    contents: Type.Array(
      Type.Object({
        role: Type.Optional(Type.String()),
        parts: Type.Optional(Type.Array(Type.Object({ text: Type.Optional(Type.String()) }))),
      }),
    ),
    generationConfig: Type.Optional(
      Type.Object({
        responseModalities: Type.Optional(Type.Array(Type.String())),
        imageConfig: Type.Optional(
          Type.Object({ aspectRatio: Type.Optional(Type.String()), imageSize: Type.Optional(Type.String()) }),
        ),
      }),
    ),
  },
  { $id: "GenerateContentRequest" },
);
