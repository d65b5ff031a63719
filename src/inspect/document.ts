export { STYLE } from "./style.ts";

export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1a56b8"/><path d="M9 11h8a5 5 0 0 1 0 10h-6" fill="none" stroke="#fff" stroke-width="3"/><path d="m14 16-5 5 5 5" fill="none" stroke="#fff" stroke-width="3"/></svg>';

/** The page before its script runs. @param script Path of the script. */
export function html(script: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>agent-session inspector</title>
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="style.css">
<script type="module" src="${script}"></script>
</head>
<body>
<a class="skip" href="#main">To the session</a>
<header class="top">
<h1>agent-session <span>inspector</span></h1>
<span class="spacer"></span>
<button type="button" id="mode" aria-pressed="false" hidden>Side by side</button>
<span class="pill" id="permission"></span>
<span class="pill" id="connection" role="status">connecting…</span>
</header>
<nav aria-label="Sessions"><ul id="sessions" hidden></ul></nav>
<main id="main" tabindex="-1">
<p id="empty" class="note">No session yet. One appears here as soon as it is attached.</p>
</main>
<p class="unseen" id="announcement" role="status"></p>
</body>
</html>
`;
}
