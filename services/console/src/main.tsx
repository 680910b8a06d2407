// oxlint-disable-next-line import/no-unassigned-import
import "@mantine/core/styles.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { loadTexts } from "./texts/say.ts";

// Pages name their columns as they are loaded: the language is there before.
await loadTexts();
const { App } = await import("./app.tsx");
const root = document.querySelector("#root");
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
