import { Type, type TSchema } from "typebox";

const model = Type.String({ minLength: 1, description: "a name of GET /v1/models, exactly" });
const anyObject = Type.Record(Type.String(), Type.Unknown());
const tokens = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 });
const someObjects = Type.Array(anyObject, { minItems: 1 });

/**
 * A part of a message's content: text, or a PDF or text file (interface endpoint 3); other types are passed on
 * unchanged.
 */
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

/** POST /v1/chat/completions: the fields that the gateway reads; all others are passed on unchanged. */
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

/** Allows null, which SDKs send for members that are not set. */
const nullable = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));
const positive = Type.Integer({ minimum: 1 });

/** POST /v1/responses (interface endpoint 4); fields that are not listed here are passed on unchanged. */
export const ResponsesRequest = Type.Object(
  {
    model,
    input: nullable(Type.Union([Type.String(), Type.Array(anyObject)])),
    stream: nullable(Type.Boolean({ description: "true: the answer comes as server-sent events" })),
    max_output_tokens: nullable(positive),
    previous_response_id: nullable(Type.String({ minLength: 1, maxLength: 200 })),
    store: nullable(Type.Boolean({ description: "false: the response cannot be referred to later" })),
  },
  { $id: "ResponsesRequest" },
);

const maxAtOnce = 20;
const someItems = Type.Array(anyObject, { maxItems: maxAtOnce });
const metadata = Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }), { maxProperties: 16 });

/** POST /v1/conversations. */
export const CreateConversationRequest = Type.Object(
  { items: nullable(someItems), metadata: nullable(metadata) },
  { $id: "CreateConversationRequest" },
);

/** POST /v1/conversations/{conversation_id}. */
export const UpdateConversationRequest = Type.Object(
  { metadata: nullable(metadata) },
  { $id: "UpdateConversationRequest" },
);

/** POST /v1/conversations/{conversation_id}/items. */
export const ConversationItemsRequest = Type.Object(
  { items: Type.Array(anyObject, { minItems: 1, maxItems: maxAtOnce }) },
  { $id: "ConversationItemsRequest" },
);

/** POST /v1/responses/input_tokens: counts the tokens of a response's input. */
export const CountResponseTokensRequest = Type.Object(
  {
    model,
    input: nullable(Type.Union([Type.String(), Type.Array(anyObject)])),
    previous_response_id: nullable(Type.String({ minLength: 1, maxLength: 200 })),
  },
  { $id: "CountResponseTokensRequest" },
);

/** POST /v1/responses/compact (interface endpoint 5). */
export const CompactRequest = Type.Object(
  {
    model,
    input: nullable(Type.Union([Type.String(), Type.Array(anyObject)])),
    instructions: nullable(Type.String()),
    previous_response_id: nullable(Type.String({ minLength: 1, maxLength: 200 })),
  },
  { $id: "CompactRequest" },
);

const alphaMessages = Type.Array(
  Type.Object({ role: Type.String(), content: Type.Union([Type.String(), Type.Array(anyObject)]) }),
  { minItems: 1 },
);

/** POST /v1/messages (interface endpoint 6). */
export const MessagesRequest = Type.Object(
  { model, max_tokens: positive, messages: alphaMessages, stream: Type.Optional(Type.Boolean()) },
  { $id: "MessagesRequest" },
);

/** POST /v1/messages/count_tokens: a messages body without its output limit. */
export const CountMessageTokensRequest = Type.Object(
  { model, messages: alphaMessages },
  { $id: "CountMessageTokensRequest" },
);

/**
 * POST /v1/completions. A prompt is a text, a list of token ids, or a list of either; with null the model starts a new
 * document.
 */
export const CompletionsRequest = Type.Object(
  {
    model,
    prompt: nullable(Type.Union([Type.String(), Type.Array(Type.String()), tokens, Type.Array(tokens)])),
    max_tokens: nullable(Type.Integer({ minimum: 0 })),
    n: nullable(Type.Integer({ minimum: 1, maximum: 128 })),
    best_of: nullable(Type.Integer({ minimum: 1, maximum: 128 })),
    stream: nullable(Type.Boolean({ description: "true: the answer comes as server-sent events" })),
  },
  { $id: "CompletionsRequest" },
);

const embeddings = {
  input: Type.Union(
    [Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 })), tokens, Type.Array(tokens), someObjects],
    { description: "a text, tokens, or up to 2048 of either" },
  ),
  dimensions: nullable(positive),
  encoding_format: nullable(
    Type.Union([Type.Literal("float"), Type.Literal("base64")], {
      description: "base64: little-endian float32 of each vector",
    }),
  ),
  user: nullable(Type.String()),
};

/** POST /v1/embeddings. */
export const EmbeddingsRequest = Type.Object({ model, ...embeddings }, { $id: "EmbeddingsRequest" });

/** The same body with the model in the path; a model in the body must be equal. */
export const EngineEmbeddingsRequest = Type.Object(
  { model: Type.Optional(model), ...embeddings },
  { $id: "EngineEmbeddingsRequest" },
);

/** POST /v2/embed of Cohere clients: texts; embeddings as numbers or Base64. */
export const CohereEmbedRequest = Type.Object(
  {
    model,
    texts: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
    input_type: nullable(Type.String({ description: "search_query, search_document, classification or clustering" })),
    embedding_types: nullable(Type.Array(Type.String(), { description: "one of float and base64" })),
    output_dimension: nullable(positive),
  },
  { $id: "CohereEmbedRequest" },
);

/** POST /api/embed of Ollama clients. */
export const OllamaEmbedRequest = Type.Object(
  {
    model,
    input: Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })]),
    dimensions: nullable(positive),
  },
  { $id: "OllamaEmbedRequest" },
);

/** POST /v1/rerank, with the members that clients of the usual vendors send. `top_k` is another name of `top_n`. */
export const RerankRequest = Type.Object(
  {
    model,
    query: Type.String({ minLength: 1 }),
    documents: Type.Array(Type.Union([Type.String(), anyObject]), { minItems: 1 }),
    top_n: nullable(positive),
    top_k: nullable(positive),
    return_documents: nullable(
      Type.Boolean({ description: "whether each result holds its document; false by default" }),
    ),
    rank_fields: nullable(
      Type.Array(Type.String(), { description: "members of a document that is an object, of which its text is made" }),
    ),
    max_chunks_per_doc: nullable(positive),
    max_tokens_per_doc: nullable(positive),
  },
  { $id: "RerankRequest" },
);

/** POST /v1/moderations: one text, several, or the parts of one message. */
export const ModerationsRequest = Type.Object(
  {
    model: nullable(model),
    input: Type.Union([
      Type.String(),
      Type.Array(Type.String(), { minItems: 1 }),
      Type.Array(
        Type.Object({
          type: Type.String(),
          text: Type.Optional(Type.String()),
          image_url: Type.Optional(Type.Object({ url: Type.String() })),
        }),
        { minItems: 1 },
      ),
    ]),
  },
  { $id: "ModerationsRequest" },
);

const part = Type.Object({ text: Type.Optional(Type.String()) });

/** The vendor also accepts one object instead of a list. */
const content = Type.Object({
  role: Type.Optional(Type.String()),
  parts: Type.Optional(Type.Union([Type.Array(part), part])),
});

const generationConfig = Type.Object({
  responseModalities: Type.Optional(Type.Array(Type.String())),
  imageConfig: Type.Optional(
    Type.Object({ aspectRatio: Type.Optional(Type.String()), imageSize: Type.Optional(Type.String()) }),
  ),
  maxOutputTokens: nullable(positive),
  candidateCount: nullable(Type.Integer({ minimum: 1, maximum: 128 })),
});

/**
 * Body of content generation (interface section 2.6). `generationConfig` is optional, because the SDK omits it for text
 * calls. Names may also be in snake_case.
 */
export const GenerateContentRequest = Type.Object(
  {
    contents: Type.Union([Type.Array(content, { minItems: 1 }), content]),
    generationConfig: Type.Optional(generationConfig),
  },
  { $id: "GenerateContentRequest" },
);

/** `:countTokens`: contents alone, or a complete request of generateContent. */
export const CountContentTokensRequest = Type.Object(
  {
    contents: Type.Optional(Type.Union([Type.Array(content), content])),
    generateContentRequest: Type.Optional(anyObject),
  },
  { $id: "CountContentTokensRequest" },
);

/** `:embedContent`. */
export const EmbedContentRequest = Type.Object(
  {
    content,
    taskType: Type.Optional(Type.String()),
    title: Type.Optional(Type.String()),
    outputDimensionality: Type.Optional(positive),
  },
  { $id: "EmbedContentRequest" },
);

/** `:batchEmbedContents`. */
export const BatchEmbedContentsRequest = Type.Object(
  { requests: Type.Array(EmbedContentRequest, { minItems: 1 }) },
  { $id: "BatchEmbedContentsRequest" },
);
