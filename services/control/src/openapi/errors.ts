const text = { type: "string" } as const;
const nullable = { type: ["string", "null"] } as const;

/** What control answers where it refuses a call or fails. */
export const errorSchemas = {
  Refusal: {
    type: "object",
    properties: {
      error: {
        type: "object",
        properties: { message: text, type: text, param: nullable, code: nullable },
        required: ["message", "type"],
      },
    },
    required: ["error"],
  },
} as const;
