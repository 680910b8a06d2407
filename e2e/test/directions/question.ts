import type { Suite } from "@modelgate/testkit";
import type { Wire } from "../../../services/text/test/vendors.ts";

/** Part of a user's message. */
export type Piece = { readonly text: string } | { readonly image: string } | { readonly pdf: string };

/** Tool with one text argument. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly argument: string;
}

/** Question in a neutral form, which every client converts to the form of its SDK. */
export interface Question {
  readonly model: string;
  readonly stream: boolean;
  readonly system?: string;
  readonly prompt: readonly Piece[];
  readonly tools?: readonly OfferedTool[];
  /** True if reasoning is requested. */
  readonly reasoning?: boolean;
  readonly schema?: JsonSchema;
  readonly maxTokens?: number;
}

/** JSON Schema of an object whose members are all required. */
export interface JsonSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, { readonly type: "string" | "number" }>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

export interface ReplyCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

/** Usage. Input includes cached tokens, output includes reasoning. */
export interface ReplyUsage {
  readonly input: number | undefined;
  readonly cached: number | undefined;
  readonly output: number | undefined;
  readonly reasoning: number | undefined;
}

/** Result of a tool call. */
export interface ToolOutput {
  readonly call: ReplyCall;
  readonly output: string;
}

/** Answer as the SDK returns it. */
export interface Reply {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ReplyCall[];
  readonly finish: string;
  readonly usage: ReplyUsage;
  /** Fields named in `x-modelgate-dropped`. */
  readonly dropped: readonly string[];
  /** Sends the results of the tool calls in the same conversation. `change` can name another model. */
  follow(outputs: readonly ToolOutput[], change?: Partial<Question>): Promise<Reply>;
}

/** Error that the SDK throws. */
export interface SdkError {
  /** The SDK's error class. */
  readonly className: string;
  readonly status: number | undefined;
  readonly message: string;
  /** Member `error` of the body, in the client's format. */
  readonly body: unknown;
}

export type Ending = "stop" | "length" | "calls";

/** Official SDK as a client of the gateway. */
export interface Client {
  readonly name: string;
  readonly wire: Wire;
  readonly endings: Readonly<Record<Ending, string>>;
  ask(suite: Suite, key: string, question: Question): Promise<Reply>;
  errorOf(thrown: unknown): SdkError;
}

export const droppedIn = (header: string | null | undefined): readonly string[] =>
  (header ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));

export const parametersOf = ({ argument }: OfferedTool) => ({
  type: "object" as const,
  properties: { [argument]: { type: "string" as const } },
  required: [argument],
  additionalProperties: false as const,
});
