SwaggerUIBundle({
  url: "/openapi.json",
  domNode: document.getElementById("reader"),
  deepLinking: true,
  docExpansion: "list",
});
