// oxlint-disable-next-line import/no-unassigned-import
import "@mantine/core/styles.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { loadTexts } from "./texts/translate.ts";

// Loaded before the app, because its modules use texts when they are imported.
await loadTexts();
const { App } = await import("./app.tsx");
const root = document.querySelector("#root");
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
