import { headerOf, type Asking, type Endpoint, type Understood } from "../../vendor.ts";
import { readEdit, readGeneration, type ImagesAsked } from "./read.ts";
import { renderImages, streamImages } from "./render.ts";

/** `POST /v1/images/generations`. */
export const imageGenerations: Endpoint = {
  method: "POST",
  path: /^\/v1\/images\/generations$/,
  open: (asking) => answering(readGeneration(asking.body), asking, "generation"),
};

/** `POST /v1/images/edits`. */
export const imageEdits: Endpoint = {
  method: "POST",
  path: /^\/v1\/images\/edits$/,
  open: (asking) => answering(readEdit(asking.form), asking, "edit"),
};

function answering(asked: ImagesAsked, { headers }: Asking, act: "generation" | "edit"): Understood {
  return {
    directive: asked.question.directive,
    whole: (behaviour) => renderImages(asked, behaviour, headerOf(headers, "host")),
    streamed: asked.stream ? (behaviour) => streamImages(asked, behaviour, act) : undefined,
  };
}
