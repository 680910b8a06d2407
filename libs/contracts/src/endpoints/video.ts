import { bearerKeys, type Endpoint } from "./endpoint.ts";

const video = { area: "video", keys: bearerKeys } as const;
const create = { ...video, method: "POST", kinds: ["video"] } as const;
const poll = { ...video, method: "GET", body: "none" } as const;

export const videoEndpoints = {
  createVideo: {
    ...create,
    path: "/v1/videos",
    errors: "common",
    body: "json-or-multipart",
    schema: "VideoForm",
    summary: "Create a video task in OpenAI's format.",
  },
  listVideos: {
    ...poll,
    path: "/v1/videos",
    errors: "common",
    summary: "The account's video tasks in OpenAI's format.",
  },
  getVideo: {
    ...poll,
    path: "/v1/videos/{task_id}",
    errors: "common",
    summary: "A video task's state in OpenAI's format.",
  },
  deleteVideo: {
    ...video,
    method: "DELETE",
    body: "none",
    path: "/v1/videos/{task_id}",
    errors: "common",
    summary:
      "Delete the record of an ended video task in OpenAI's format. The vendor keeps the video until it expires.",
  },
  remixVideo: {
    ...create,
    path: "/v1/videos/{task_id}/remix",
    errors: "common",
    body: "json",
    schema: "VideoRemixRequest",
    summary: "Create a video task from a finished one, in OpenAI's format.",
  },
  getVideoEvents: {
    ...poll,
    path: "/v1/videos/{task_id}/events",
    errors: "common",
    streamFormat: "images",
    answerType: "text/event-stream",
    summary: "A video task's transitions as server-sent events, until it ends.",
  },
  getVideoContent: {
    ...poll,
    path: "/v1/videos/{task_id}/content",
    errors: "common",
    answerType: "video/mp4",
    summary: "The finished video.",
  },
  textToVideo: {
    ...create,
    path: "/delta/v1/videos/text2video",
    errors: "task",
    body: "json",
    schema: "VideoRequest",
    summary: "Create a video task from text in Kling's format.",
  },
  getTextToVideo: {
    ...poll,
    path: "/delta/v1/videos/text2video/{task_id}",
    errors: "task",
    summary: "A text-to-video task's state in Kling's format.",
  },
  imageToVideo: {
    ...create,
    path: "/delta/v1/videos/image2video",
    errors: "task",
    body: "json",
    schema: "VideoRequest",
    summary: "Create a video task from an image in Kling's format.",
  },
  getImageToVideo: {
    ...poll,
    path: "/delta/v1/videos/image2video/{task_id}",
    errors: "task",
    summary: "An image-to-video task's state in Kling's format.",
  },
  epsilon: {
    ...create,
    path: "/epsilon/",
    // A result must be available with an empty balance. The service reserves money when a task is submitted.
    free: true,
    errors: "epsilon",
    body: "json",
    schema: "EpsilonRequest",
    summary: "Submit a video task or fetch its result in Jimeng's format: the query parameter Action decides.",
  },
  createVideoGeneration: {
    ...create,
    path: "/v1/video/generations",
    errors: "task",
    body: "json",
    schema: "VideoRequest",
    summary: "Create a video task in the format of other gateways.",
  },
  getVideoGeneration: {
    ...poll,
    path: "/v1/video/generations/{task_id}",
    errors: "task",
    summary: "A video task's state in the format of other gateways.",
  },
} as const satisfies Record<string, Endpoint>;
