import { Failure } from "@modelgate/contracts";
import { readImageBody, wires as imageWires } from "@modelgate/wires/images";
import { wires as rankingWires } from "@modelgate/wires/ranking";
import { wires as speechWires } from "@modelgate/wires/speech";
import { wires as transcriptWires } from "@modelgate/wires/transcripts";
import { wires as vectorWires } from "@modelgate/wires/vectors";
import { wires as videoWires } from "@modelgate/wires/video";

type Members = Readonly<Record<string, unknown>>;

/** Vendor's side of a wire, as far as the tables need it. */
interface Renderer<Request> {
  render(
    request: Request,
    target: { readonly model: string; readonly events: boolean },
  ): {
    readonly dropped: readonly string[];
  };
}

/** A kind whose table is found by rendering requests that have one optional field each. */
interface FieldsOfKind<Request> {
  readonly title: string;
  readonly wires: Readonly<Record<string, { readonly name: string; readonly vendor?: Renderer<Request> }>>;
  readonly read: (body: Members) => Request;
  /** Members of every request, and an example of each optional field. */
  readonly base: Members;
  readonly fields: Members;
}

/** Writes a table for each kind other than text: the fields of its clients, and what each vendor's wire makes of them. */
export function kindFieldsTables(): string {
  return [
    tableOf({
      title: "Embeddings",
      wires: vectorWires,
      read: (body) => vectorWires.embeddings.client.read(body).request,
      base: { model: "m", input: "text" },
      fields: { dimensions: 256, user: "u", encoding_format: "base64" },
    }),
    tableOf({
      title: "Rerank",
      wires: rankingWires,
      read: (body) => rankingWires["jina-rerank"].client.read(body).request,
      base: { model: "m", query: "q", documents: ["a"] },
      fields: { top_n: 1, return_documents: true, rank_fields: ["text"], max_chunks_per_doc: 2 },
    }),
    tableOf({
      title: "Images",
      wires: imageWires,
      read: (body) => readImageBody(body).request,
      base: { model: "m", prompt: "p" },
      fields: {
        n: 2,
        size: "1024x1024",
        quality: "high",
        style: "vivid",
        background: "opaque",
        moderation: "low",
        output_format: "png",
        output_compression: 50,
        negative_prompt: "n",
        prompt_extend: true,
        watermark: true,
        seed: 1,
        user: "u",
      },
    }),
    tableOf({
      title: "Speech",
      wires: speechWires,
      read: (body) => speechWires.speech.client.read(body).request,
      base: { model: "m", input: "text", voice: "v", response_format: "pcm" },
      fields: { instructions: "slowly", speed: 2 },
    }),
    tableOf({
      title: "Transcripts",
      wires: transcriptWires,
      read: (body) =>
        transcriptWires.transcriptions.client.read(Object.entries(body).map(([name, value]) => [name, String(value)])),
      base: { model: "m" },
      fields: { language: "de", prompt: "p", temperature: 1 },
    }),
    tableOf({
      title: "Videos",
      wires: videoWires,
      read: (body) => videoWires["video-generations"].client.read(body).request,
      base: { model: "m", prompt: "p" },
      fields: { negative_prompt: "n", size: "1280x720", fps: 24, seed: 1 },
    }),
  ].join("\n");
}

function tableOf<Request>({ title, wires, read, base, fields }: FieldsOfKind<Request>): string {
  const vendors = Object.entries(wires).flatMap(([name, { vendor }]) =>
    vendor === undefined ? [] : [{ name, vendor, usual: droppedBy(vendor, read(base)) ?? [] }],
  );
  const rows = Object.entries(fields).map(([field, value]) => {
    const cells = vendors.map(({ vendor, usual }) => {
      const dropped = droppedBy(vendor, read({ ...base, [field]: value }));
      if (dropped === undefined) return "**refused**";
      return dropped.length > usual.length ? "**dropped**" : "sent";
    });
    return `| \`${field}\` | ${cells.join(" | ")} |`;
  });
  return [
    `## ${title}`,
    "",
    `| field | ${vendors.map(({ name }) => name).join(" | ")} |`,
    `|---|${vendors.map(() => "---").join("|")}|`,
    ...rows,
    "",
  ].join("\n");
}

/** Returns the fields that a rendering leaves out; undefined if it refuses the request. */
function droppedBy<Request>(vendor: Renderer<Request>, request: Request): readonly string[] | undefined {
  try {
    return vendor.render(request, { model: "m", events: false }).dropped;
  } catch (error) {
    if (error instanceof Failure && error.code === "unsupported_parameter") return undefined;
    throw error;
  }
}
