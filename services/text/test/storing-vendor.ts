import {
  startScriptedServer,
  streamOf,
  textAnswers,
  textUsage,
  textWireOf,
  type ScriptedServer,
  type TextAnswer,
  type TextWire,
} from "@modelgate/testkit";

export interface StoredRequest {
  readonly path: string;
  readonly key: string;
  readonly body: string;
}

/** Vendor of the text wires that accepts any id, and creates objects in its store with every answer. */
export interface StoringVendor extends ScriptedServer {
  readonly storedRequests: StoredRequest[];
}

/** Ids of the objects that the vendor creates for its n-th request. */
export const idsOfAnswer = (at: number) => ({
  audio: `audio_${at}`,
  call: `ci_${at}`,
  container: `cntr_${at}`,
  file: `file-made-${at}`,
  message: `msg_${at}`,
  thought: `rs_${at}`,
});

const answersByWire: Readonly<Partial<Record<TextWire, (at: number) => TextAnswer>>> = {
  chat: (at) => ({ message: { audio: { id: idsOfAnswer(at).audio, data: "", transcript: "Hi" } } }),
  responses(at) {
    const { call, container, file, message, thought } = idsOfAnswer(at);
    const annotation = { type: "container_file_citation", container_id: container, file_id: file, filename: "a.csv" };
    const content = { type: "output_text", text: "Hi", annotations: [{ ...annotation, start_index: 0, end_index: 1 }] };
    return {
      more: { id: `resp_${at}` },
      before: [
        { type: "reasoning", id: thought, summary: [] },
        { type: "code_interpreter_call", id: call, status: "completed", container_id: container, code: "1" },
        { type: "message", id: message, role: "assistant", status: "completed", content: [content] },
      ],
    };
  },
  messages(at) {
    const output = { type: "bash_code_execution_output", file_id: idsOfAnswer(at).file };
    return {
      more: { container: { id: idsOfAnswer(at).container, expires_at: "2030-01-01T00:00:00Z" } },
      before: [
        {
          type: "bash_code_execution_tool_result",
          tool_use_id: "srvtoolu_1",
          content: { type: "bash_code_execution_result", stdout: "", stderr: "", return_code: 0, content: [output] },
        },
      ],
    };
  },
};

const otherAnswers: Readonly<Record<string, (at: number) => object>> = {
  "/responses/compact": (at) => ({
    id: `resp_${at}`,
    object: "response.compaction",
    output: [],
    usage: textUsage.responses(3, 3),
  }),
  "/count_tokens": () => ({ input_tokens: 3 }),
  ":countTokens": () => ({ totalTokens: 3 }),
};

export async function startStoringVendor(): Promise<StoringVendor> {
  const storedRequests: StoredRequest[] = [];
  const server = await startScriptedServer(({ method, path, headers, body }) => {
    // Polls of tasks arrive at any time, so they are not recorded.
    if (method !== "POST") return { status: 404 };
    storedRequests.push({ path, key: String(headers.authorization ?? headers["x-api-key"] ?? ""), body });
    const at = storedRequests.length;
    const { model, stream }: { readonly model?: unknown; readonly stream?: unknown } = body.startsWith("{")
      ? JSON.parse(body)
      : {};
    const wire = textWireOf(path);
    if (wire !== undefined) {
      const frames = textAnswers[wire]({
        model,
        text: "Hi",
        usage: textUsage[wire](3, 3),
        ...answersByWire[wire]?.(at),
      });
      return { body: stream === true ? streamOf(frames, "Hi") : frames.whole };
    }
    const answer = Object.entries(otherAnswers).find(([ending]) => path.endsWith(ending))?.[1];
    return answer === undefined ? { status: 404, body: {} } : { body: answer(at) };
  });
  return Object.assign(server, { storedRequests });
}
