// oxlint-disable-next-line import/no-unassigned-import
import "@mantine/core/styles.css";
// oxlint-disable-next-line import/no-unassigned-import
import "@mantine/charts/styles.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";

const root = document.querySelector("#root");
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
