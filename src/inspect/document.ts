export { STYLE } from "./style.ts";

/** The page before its script runs. @param script Path of the script. */
export function html(script: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>agent-session inspector</title>
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
