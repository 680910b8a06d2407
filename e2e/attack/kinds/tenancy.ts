import { setTimeout as pause } from "node:timers/promises";
import { openaiModel, statusesOf, attackResult, type Attack, type AttackContext } from "../attack.ts";
import type { Answer, Sending } from "../../chaos/exchange.ts";
import { json, type Handler } from "../vendor.ts";
import { honestText, sound, textRequest, textModels, textWires, type TextWire } from "./wires.ts";

/** Id of another account's object in the vendor's store. */
const id = "abc123oftheothertenant";
const storedFile = `https://generativelanguage.googleapis.com/v1beta/files/${id}`;
const user = (content: readonly object[]): object => ({ role: "user", content });

/** Request members that refer to objects in the vendor's store. */
const references: Readonly<Record<TextWire, readonly object[]>> = {
  chat: [{ messages: [user([{ type: "file", file: { file_id: `file-${id}` } }])] }],
  responses: [
    { conversation: `conv_${id}` },
    { conversation: { id: `conv_${id}` } },
    { previous_response_id: `resp_${id}` },
    { prompt: { id: `pmpt_${id}` } },
    { input: [{ type: "item_reference", id: `msg_${id}` }] },
    { input: [user([{ type: "input_file", file_id: `file-${id}` }])] },
    { input: [user([{ type: "input_image", file_id: `file-${id}`, detail: "auto" }])] },
    { tools: [{ type: "file_search", vector_store_ids: [`vs_${id}`] }] },
    { tools: [{ type: "code_interpreter", container: `cntr_${id}` }] },
    { tools: [{ type: "code_interpreter", container: { type: "auto", file_ids: [`file-${id}`] } }] },
    { tools: [{ type: "mcp", server_label: "a", connector_id: `connector_${id}` }] },
  ],
  messages: [
    { container: `container_${id}` },
    { mcp_servers: [{ type: "url", url: `https://example.com/${id}`, name: "a" }] },
    { messages: [user([{ type: "document", source: { type: "file", file_id: `file_${id}` } }])] },
    { messages: [user([{ type: "image", source: { type: "file", file_id: `file_${id}` } }])] },
    { messages: [user([{ type: "container_upload", file_id: `file_${id}` }])] },
  ],
  generateContent: [
    { cachedContent: `cachedContents/${id}` },
    { cached_content: `cachedContents/${id}` },
    { contents: [{ role: "user", parts: [{ fileData: { fileUri: storedFile, mimeType: "application/pdf" } }] }] },
    { contents: [{ role: "user", parts: [{ file_data: { file_uri: storedFile, mime_type: "application/pdf" } }] }] },
  ],
};

/** Duplicate members: a parser may use the first or the last. */
const duplicateMembers: readonly string[] = [
  `"file":{"file_id":"file-${id}"},"file":{}`,
  `"tools":[{"type":"a","x":{"vector_store_ids":["vs_${id}"]},"x":null}]`,
  `"container":null,"container":"container_${id}"`,
  `"fil\\u0065":{"cachedContent":"cachedContents/${id}"},"file":1`,
];

/** Inserts members as text, because an object cannot contain duplicates. */
function withMembers(sending: Sending, members: string): Sending {
  return { ...sending, body: JSON.stringify(sending.body).replace("{", `{${members},`) };
}

const vendorStores: Attack = {
  id: "stores",
  name: "refers to ids of another account in vendors' stores",
  area: "text",
  models: textModels({ input: 1, output: 2 }, honestText),
  async run(context) {
    const answers = await context.sendAll(
      textWires.flatMap((wire) => [
        ...references[wire].map((more) => textRequest(wire, context.model(wire), more)),
        ...duplicateMembers.map((twice) => withMembers(textRequest(wire, context.model(wire)), twice)),
      ]),
    );
    const read = textWires.flatMap((wire) =>
      context.requests(wire).flatMap(({ body }) => (body.includes(id) ? [`${wire}: ${memberOf(body)}`] : [])),
    );
    const unnamed = answers.filter(({ status, body }) => status === 400 && !/param|field|"message"/.test(body)).length;
    return attackResult(`${answers.length} requests: ${statusesOf(answers)}`, `${read.length} ids reached a vendor`, [
      read.length > 0 && read.join(", "),
      unnamed > 0 && `${unnamed} refusals name no field`,
    ]);
  },
};

/** Returns the name of the member that contains the id. */
function memberOf(body: string): string {
  const before = body.slice(0, body.indexOf(id));
  return before.match(/"(\w+)":\s*(?:\[|\{"id":)?\s*"[^"]*$/)?.[1] ?? "an id";
}

const otherTenantIds: Attack = {
  id: "others-things",
  name: "requests responses and videos of another account by their ids",
  area: "video",
  models: [
    openaiModel("chat", "chat", { input: 1, output: 2 }, honestText),
    openaiModel("film", "video", { second: 0.01 }),
  ],
  async run(context) {
    const { key } = context.other;
    const response = idIn(
      await context.send({ ...textRequest("responses", context.model("chat"), { store: true }), key }),
    );
    const body = { model: context.model("film"), prompt: "a boat", seconds: "4" };
    const film = idIn(await context.send({ path: "/v1/videos", body, key }));
    const requests: readonly Sending[] = [
      { method: "GET", path: `/v1/responses/${response}` },
      { method: "GET", path: `/v1/responses/${response}/input_items` },
      { method: "DELETE", path: `/v1/responses/${response}` },
      textRequest("responses", context.model("chat"), { previous_response_id: response }),
      { method: "GET", path: `/v1/videos/${film}` },
      { method: "GET", path: `/v1/videos/${film}/content` },
      { method: "GET", path: `/v1/videos/${film}/events` },
      { method: "GET", path: `/v1/video/generations/${film}` },
      { method: "DELETE", path: `/v1/videos/${film}` },
      { path: `/v1/videos/${film}/remix`, body: { prompt: "at night" } },
    ];
    const answers = await context.sendAll(requests);
    const answered = answers.filter(({ status }) => status < 400).length;
    return attackResult(`${answers.length} requests: ${statusesOf(answers)}`, `${answered} were answered`, [
      (response === "" || film === "") && "nothing was made, so nothing was shown",
      answered > 0 && `${answered} objects of another tenant were returned`,
    ]);
  },
};

function idIn({ body }: Answer): string {
  return /"id":\s*"([^"]+)"/.exec(body)?.[1] ?? "";
}

/** Image vendor that returns the URL in the prompt. */
const pictureElsewhere: Handler = (request, response) =>
  json(response, { created: 1, data: [{ url: /https?:[^\s"\\]+/.exec(request.body)?.[0] ?? "" }] });

/** Creates a Kling vendor that returns the URL in the prompt. */
const filmElsewhere: () => Handler = () => {
  let address = "";
  return (request, response) => {
    address = /https?:[^\s"\\]+/.exec(request.body)?.[0] ?? address;
    const done = request.body === "";
    const data = {
      task_id: "film",
      task_status: done ? "succeed" : "submitted",
      created_at: 1,
      updated_at: 1,
      ...(done ? { task_result: { videos: [{ id: "film", url: address, duration: "5" }] } } : {}),
    };
    json(response, { code: 0, message: "", request_id: "r", data });
  };
};

const otherPort: Attack = {
  id: "other-port",
  name: "makes a vendor return its result at another port of its host",
  area: "media",
  models: [
    openaiModel("image", "image", { image: 0.04 }, pictureElsewhere),
    openaiModel("film", "video", { second: 0.01 }, filmElsewhere(), {
      provider: "kling",
      path: "kling",
      key: "AKx|AKx-secret",
    }),
  ],
  async run(context) {
    const before = context.internalServer.hits.length;
    const prompt = `see ${context.internalServer.url}/secret.png`;
    const image = { model: context.model("image"), prompt };
    const images = await context.sendAll(
      ["b64_json", "url"].map((format) => ({
        path: "/v1/images/generations",
        body: { ...image, response_format: format },
      })),
    );
    const body = { model: context.model("film"), prompt, seconds: "5" };
    const film = idIn(await context.send({ path: "/v1/videos", body }));
    const answers = [...images, await contentOf(context, film)];
    const hits = context.internalServer.hits.length - before;
    return attackResult(
      `${answers.length} results: ${statusesOf(answers)}`,
      `${hits} requests to the internal server`,
      [
        film === "" && "no film was made, so its address was not tried",
        hits > 0 && `the gateway called ${context.internalServer.url}`,
      ],
    );
  },
};

/** Requests a video's file after its task has ended. */
async function contentOf(context: AttackContext, film: string): Promise<Answer> {
  const ended = async (): Promise<boolean> =>
    /"(completed|failed)"/.test((await context.send({ method: "GET", path: `/v1/videos/${film}` })).body);
  for (let search = 0; search < 40 && !(await ended()); search++) await pause(100);
  return context.send({ method: "GET", path: `/v1/videos/${film}/content` });
}

const boundary = "a-boundary-that-no-field-has";

function form(fields: readonly (readonly [name: string, value: string])[]): Pick<Sending, "headers" | "body"> {
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return {
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: `${parts.join("")}--${boundary}--\r\n`,
  };
}

const mediaStores: Attack = {
  id: "stores-media",
  name: "refers to files and voices of another account for images, speech and videos",
  area: "media",
  models: [
    openaiModel("image", "image", { image: 0.04 }, pictureElsewhere),
    openaiModel("speech", "speech", { character: 0.0001 }, sound),
    openaiModel("film", "video", { second: 0.01 }, (_, response) =>
      json(response, { id: "video_1", object: "video", status: "queued", created_at: 1 }),
    ),
  ],
  async run(context) {
    const [image, speech, film] = ["image", "speech", "film"].map((name) => context.model(name));
    const drawn = { model: image, prompt: "a fox" };
    const filmed = { model: film, prompt: "a fox", seconds: "4" };
    const file = `file-${id}`;
    const requests: readonly Sending[] = [
      { path: "/v1/images/edits", body: { ...drawn, images: [{ file_id: file }] } },
      { path: "/v1/images/edits", body: { ...drawn, image: { file_id: file } } },
      { path: "/v1/images/edits", body: { ...drawn, image: "https://example.com/a.png", mask: { file_id: file } } },
      {
        path: "/v1/images/edits",
        ...form([
          ...Object.entries(drawn).map(([name, value]) => [name, String(value)] as const),
          ["image[file_id]", file],
        ]),
      },
      { path: "/v1/images/generations", body: { ...drawn, input_file_ids: [file] } },
      { path: "/v1/audio/speech", body: { model: speech, input: "Hi", voice: { id: `voice_${id}` } } },
      { path: "/v1/audio/speech", body: { model: speech, input: "Hi", voice: `voice_${id}` } },
      { path: "/v1/videos", body: { ...filmed, input_reference: { file_id: file } } },
      { path: "/v1/videos", body: { ...filmed, characters: [{ id }] } },
    ];
    const answers = await context.sendAll(requests);
    const read = ["image", "speech", "film"]
      .flatMap((name) => context.requests(name))
      .filter(({ body }) => body.includes(id));
    return attackResult(`${answers.length} requests: ${statusesOf(answers)}`, `${read.length} ids reached a vendor`, [
      read.length > 0 && read.map(({ path, body }) => `${path} ${memberOf(body)}`).join(", "),
    ]);
  },
};

/** Attacks on another account's data. */
export const tenancyAttacks: readonly Attack[] = [vendorStores, mediaStores, otherTenantIds, otherPort];
