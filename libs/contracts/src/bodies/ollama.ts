import { Type, type TSchema } from "typebox";

const model = Type.String({ minLength: 1, description: "a model name from `GET /v1/models`" });
const anyObject = Type.Record(Type.String(), Type.Unknown());
const nullable = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));

const images = nullable(Type.Array(Type.String({ description: "Base64" })));
const toolCall = Type.Object({ function: Type.Object({ name: Type.String() }) });

const sharedMembers = {
  model,
  stream: nullable(
    Type.Boolean({
      description:
        "if false, the answer is one JSON object. Otherwise it is a stream with one JSON object on each line",
    }),
  ),
  format: nullable(Type.Union([Type.String(), anyObject], { description: "json, or a JSON schema" })),
  think: nullable(
    Type.Union([Type.Boolean(), Type.String()], { description: "true, false, low, medium, high or max" }),
  ),
  options: nullable(
    Type.Object({
      num_predict: nullable(
        Type.Union([Type.Integer({ minimum: 1 }), Type.Literal(-1), Type.Literal(-2)], {
          description: "maximum tokens of the answer. -1 and -2 mean no limit",
        }),
      ),
      temperature: nullable(Type.Number()),
      top_p: nullable(Type.Number()),
      top_k: nullable(Type.Integer()),
      seed: nullable(Type.Integer()),
      stop: nullable(Type.Union([Type.String(), Type.Array(Type.String())])),
      presence_penalty: nullable(Type.Number()),
      frequency_penalty: nullable(Type.Number()),
    }),
  ),
  logprobs: nullable(Type.Boolean()),
  top_logprobs: nullable(Type.Integer({ minimum: 0 })),
};

/** Body of POST /api/chat. A request without messages only checks whether the model exists. */
export const OllamaChatRequest = Type.Object(
  {
    ...sharedMembers,
    messages: nullable(
      Type.Array(
        Type.Object({
          role: Type.String({ description: "system, user, assistant or tool" }),
          content: nullable(Type.String()),
          thinking: nullable(Type.String()),
          images,
          tool_calls: nullable(Type.Array(toolCall)),
          tool_name: nullable(Type.String()),
          tool_call_id: nullable(Type.String()),
        }),
      ),
    ),
    tools: nullable(
      Type.Array(
        Type.Object({
          type: nullable(Type.String()),
          function: Type.Object({
            name: Type.String(),
            description: nullable(Type.String()),
            parameters: nullable(anyObject),
          }),
        }),
      ),
    ),
  },
  { $id: "OllamaChatRequest" },
);

/** Body of POST /api/generate. */
export const OllamaGenerateRequest = Type.Object(
  {
    ...sharedMembers,
    prompt: nullable(Type.String()),
    system: nullable(Type.String()),
    images,
    suffix: nullable(Type.String({ description: "refused, because no vendor supports text after a gap" })),
    context: nullable(
      Type.Array(Type.Integer(), { description: "refused, because only one model understands its tokens" }),
    ),
    raw: nullable(Type.Boolean({ description: "dropped, because modelgate applies no prompt template" })),
    template: nullable(Type.String({ description: "dropped, because vendors have their own templates" })),
  },
  { $id: "OllamaGenerateRequest" },
);

/** Body of POST /api/show. `name` is an older name of `model`. */
export const OllamaShowRequest = Type.Object(
  { model: Type.Optional(model), name: Type.Optional(model) },
  { $id: "OllamaShowRequest" },
);
