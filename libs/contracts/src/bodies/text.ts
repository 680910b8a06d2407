import { Type, type TSchema } from "typebox";

const model = Type.String({ minLength: 1, description: "a model name from `GET /v1/models`" });
const anyObject = Type.Record(Type.String(), Type.Unknown());
const tokenIds = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 });
const nonEmptyObjects = Type.Array(anyObject, { minItems: 1 });

/** Part of a message's content. Its other members depend on its type. */
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

/** Body of POST /v1/chat/completions. Other fields are allowed. */
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
      Type.Union([Type.Boolean(), Type.Null()], {
        description: "if true, the answer is a stream of server-sent events",
      }),
    ),
    max_tokens: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
    max_completion_tokens: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
    n: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 128 }), Type.Null()])),
  },
  { $id: "ChatRequest" },
);

/** SDKs send null for members that are not set. */
const nullable = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));
const positiveInteger = Type.Integer({ minimum: 1 });

/** Body of POST /v1/responses. Other fields are allowed. */
export const ResponsesRequest = Type.Object(
  {
    model,
    input: nullable(Type.Union([Type.String(), Type.Array(anyObject)])),
    stream: nullable(Type.Boolean({ description: "if true, the answer is a stream of server-sent events" })),
    max_output_tokens: nullable(positiveInteger),
    previous_response_id: nullable(Type.String({ minLength: 1, maxLength: 200 })),
    store: nullable(Type.Boolean({ description: "if false, later requests cannot refer to the response" })),
  },
  { $id: "ResponsesRequest" },
);

const maxItemsPerRequest = 20;
const conversationItems = Type.Array(anyObject, { maxItems: maxItemsPerRequest });
const metadata = Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }), { maxProperties: 16 });

export const CreateConversationRequest = Type.Object(
  { items: nullable(conversationItems), metadata: nullable(metadata) },
  { $id: "CreateConversationRequest" },
);

export const UpdateConversationRequest = Type.Object(
  { metadata: nullable(metadata) },
  { $id: "UpdateConversationRequest" },
);

export const ConversationItemsRequest = Type.Object(
  { items: Type.Array(anyObject, { minItems: 1, maxItems: maxItemsPerRequest }) },
  { $id: "ConversationItemsRequest" },
);

/** Body of POST /v1/responses/input_tokens. */
export const CountResponseTokensRequest = Type.Object(
  {
    model,
    input: nullable(Type.Union([Type.String(), Type.Array(anyObject)])),
    previous_response_id: nullable(Type.String({ minLength: 1, maxLength: 200 })),
  },
  { $id: "CountResponseTokensRequest" },
);

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

/** Body of POST /v1/messages. With `max_tokens: 0` a vendor only stores the prompt in its cache. */
export const MessagesRequest = Type.Object(
  { model, max_tokens: Type.Integer({ minimum: 0 }), messages: alphaMessages, stream: Type.Optional(Type.Boolean()) },
  { $id: "MessagesRequest" },
);

/** Body of POST /v1/messages/count_tokens. */
export const CountMessageTokensRequest = Type.Object(
  { model, messages: alphaMessages },
  { $id: "CountMessageTokensRequest" },
);

/** Body of POST /v1/completions. For a null prompt, the model starts a new document. */
export const CompletionsRequest = Type.Object(
  {
    model,
    prompt: nullable(Type.Union([Type.String(), Type.Array(Type.String()), tokenIds, Type.Array(tokenIds)])),
    max_tokens: nullable(Type.Integer({ minimum: 0 })),
    n: nullable(Type.Integer({ minimum: 1, maximum: 128 })),
    best_of: nullable(Type.Integer({ minimum: 1, maximum: 128 })),
    stream: nullable(Type.Boolean({ description: "if true, the answer is a stream of server-sent events" })),
  },
  { $id: "CompletionsRequest" },
);

const embeddings = {
  input: Type.Union(
    [
      Type.String({ minLength: 1 }),
      Type.Array(Type.String({ minLength: 1 })),
      tokenIds,
      Type.Array(tokenIds),
      nonEmptyObjects,
    ],
    { description: "a text, a list of tokens, or a list of up to 2048 of these" },
  ),
  dimensions: nullable(positiveInteger),
  encoding_format: nullable(
    Type.Union([Type.Literal("float"), Type.Literal("base64")], {
      description: "with base64, each vector is Base64 of little-endian float32 values",
    }),
  ),
  user: nullable(Type.String()),
};

export const EmbeddingsRequest = Type.Object({ model, ...embeddings }, { $id: "EmbeddingsRequest" });

/** Body of POST /v1/engines/{model}/embeddings. A model in the body must equal the one in the path. */
export const EngineEmbeddingsRequest = Type.Object(
  { model: Type.Optional(model), ...embeddings },
  { $id: "EngineEmbeddingsRequest" },
);

/** Body of POST /v2/embed, for Cohere clients. */
export const CohereEmbedRequest = Type.Object(
  {
    model,
    texts: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
    input_type: nullable(Type.String({ description: "search_query, search_document, classification or clustering" })),
    embedding_types: nullable(Type.Array(Type.String(), { description: "float or base64" })),
    output_dimension: nullable(positiveInteger),
  },
  { $id: "CohereEmbedRequest" },
);

/** Body of POST /api/embed, for Ollama clients. */
export const OllamaEmbedRequest = Type.Object(
  {
    model,
    input: Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })]),
    dimensions: nullable(positiveInteger),
  },
  { $id: "OllamaEmbedRequest" },
);

/** Body of POST /v1/rerank and /v2/rerank. `top_k` means the same as `top_n`. */
export const RerankRequest = Type.Object(
  {
    model,
    query: Type.String({ minLength: 1 }),
    documents: Type.Array(Type.Union([Type.String(), anyObject]), { minItems: 1 }),
    top_n: nullable(positiveInteger),
    top_k: nullable(positiveInteger),
    return_documents: nullable(
      Type.Boolean({ description: "if true, each result contains its document. The default is false" }),
    ),
    rank_fields: nullable(
      Type.Array(Type.String(), {
        description: "members of a document that form its text, if the document is an object",
      }),
    ),
    max_chunks_per_doc: nullable(positiveInteger),
    max_tokens_per_doc: nullable(positiveInteger),
  },
  { $id: "RerankRequest" },
);

/** Body of POST /v1/moderations. The input is one text, several texts, or the parts of one message. */
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

const contentPart = Type.Object({ text: Type.Optional(Type.String()) });

/** One message. The vendor also accepts a single part as `parts`. */
const contentMessage = Type.Object({
  role: Type.Optional(Type.String()),
  parts: Type.Optional(Type.Union([Type.Array(contentPart), contentPart])),
});

const generationConfig = Type.Object({
  responseModalities: Type.Optional(Type.Array(Type.String())),
  imageConfig: Type.Optional(
    Type.Object({ aspectRatio: Type.Optional(Type.String()), imageSize: Type.Optional(Type.String()) }),
  ),
  maxOutputTokens: nullable(positiveInteger),
  candidateCount: nullable(Type.Integer({ minimum: 1, maximum: 128 })),
});

/** Body of content generation in the Gemini format. Member names may also be in snake_case. */
export const GenerateContentRequest = Type.Object(
  {
    contents: Type.Union([Type.Array(contentMessage, { minItems: 1 }), contentMessage]),
    generationConfig: Type.Optional(generationConfig),
  },
  { $id: "GenerateContentRequest" },
);

/** Body of POST /v1/interactions. Other fields are allowed. */
export const InteractionRequest = Type.Object(
  {
    model: nullable(model),
    agent: nullable(Type.String({ minLength: 1, description: "an agent, instead of a model" })),
    input: nullable(Type.Union([Type.String(), anyObject, Type.Array(anyObject)])),
    stream: nullable(Type.Boolean({ description: "if true, the answer is a stream of server-sent events" })),
    background: nullable(
      Type.Boolean({
        description: "if true, the answer is generated in the background, and the client fetches it later",
      }),
    ),
    store: nullable(Type.Boolean({ description: "if false, later requests cannot refer to the interaction" })),
    previous_interaction_id: nullable(Type.String({ minLength: 1, maxLength: 200 })),
    generation_config: nullable(Type.Object({ max_output_tokens: nullable(positiveInteger) })),
  },
  { $id: "InteractionRequest" },
);

/** Body of `:countTokens`: either `contents` or a complete request of `:generateContent`. */
export const CountContentTokensRequest = Type.Object(
  {
    contents: Type.Optional(Type.Union([Type.Array(contentMessage), contentMessage])),
    generateContentRequest: Type.Optional(anyObject),
  },
  { $id: "CountContentTokensRequest" },
);

/** Body of `:embedContent`. */
export const EmbedContentRequest = Type.Object(
  {
    content: contentMessage,
    taskType: Type.Optional(Type.String()),
    title: Type.Optional(Type.String()),
    outputDimensionality: Type.Optional(positiveInteger),
  },
  { $id: "EmbedContentRequest" },
);

/** Body of `:batchEmbedContents`. */
export const BatchEmbedContentsRequest = Type.Object(
  { requests: Type.Array(EmbedContentRequest, { minItems: 1 }) },
  { $id: "BatchEmbedContentsRequest" },
);
