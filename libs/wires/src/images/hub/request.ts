import type { OwnMembers } from "../../kind/own-members.ts";

/** The bodies that clients ask in: the simple one, as JSON or as a form, and the qwen-style one. */
export type ImagesDialect = "images" | "qwen";

/** Images that one request may bring, and ask for: beyond it 400. */
export const mostInputImages = 16;
export const mostImages = 10;
/** Characters of a prompt: beyond it 400. */
export const mostPromptCharacters = 32_000;

/** Media types of images that are taken and given. */
export const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
export type ImageType = (typeof imageTypes)[number];

/** An image's bytes, their type being what the bytes say. */
export interface ImageFile {
  readonly mediaType: ImageType;
  readonly bytes: Buffer;
}

/** An image that the client brings; `at` is its field as the client wrote it. */
export type InputImage =
  | { readonly kind: "url"; readonly at: string; readonly url: string }
  | ({ readonly kind: "file"; readonly at: string } & ImageFile)
  /** Much Base64 that is still to be decoded, in turns with other calls (`decodeImages`), before anything is sent. */
  | { readonly kind: "encoded"; readonly at: string; readonly data: string };

/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** A request for images in the neutral form. Absent means that the client did not say. */
export interface ImageRequest {
  readonly dialect: ImagesDialect;
  readonly model: string;
  readonly prompt: string;
  /** What is edited; empty: an image is made from words alone. */
  readonly images: readonly InputImage[];
  readonly mask?: InputImage | undefined;
  readonly count?: number | undefined;
  /** Absent also where the client leaves it to the model. */
  readonly size?: ImageSize | undefined;
  readonly quality?: string | undefined;
  readonly style?: string | undefined;
  readonly background?: "transparent" | "opaque" | "auto" | undefined;
  readonly moderation?: string | undefined;
  readonly inputFidelity?: string | undefined;
  readonly outputFormat?: "png" | "jpeg" | "webp" | undefined;
  /** 0 to 100. */
  readonly outputCompression?: number | undefined;
  readonly negativePrompt?: string | undefined;
  readonly promptExtend?: boolean | undefined;
  readonly watermark?: boolean | undefined;
  readonly seed?: number | undefined;
  readonly user?: string | undefined;
  /** How the client wants its images; absent: as the vendor gives them. */
  readonly responseFormat?: "url" | "b64_json" | undefined;
  readonly stream: boolean;
  readonly partialImages?: number | undefined;
  readonly own?: OwnMembers<ImagesDialect> | undefined;
}

/** A field that a vendor may not be able to say. */
export type ImageField = Exclude<
  keyof ImageRequest,
  "dialect" | "model" | "prompt" | "images" | "responseFormat" | "stream" | "own"
>;
