// Pages of text that the server writes itself: without script, with one style that their policy names.
import { hash } from 'node:crypto';
import { escaped } from './markup.ts';

const STYLE = `
body{font:16px/1.6 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}
a{color:#0645ad}
code,pre{font-size:.9em}
pre{overflow-x:auto;padding:.75rem 1rem;background:#f4f4f5;border-radius:.375rem}
table{border-collapse:collapse;display:block;overflow-x:auto}
th,td{border:1px solid #ccc;padding:.25rem .5rem;text-align:start;vertical-align:top}
input,button{font:inherit;padding:.375rem .5rem}
@media(prefers-color-scheme:dark){
body{background:#111;color:#eee}
a{color:#9cf}
pre{background:#222}
th,td{border-color:#444}
}
`;
export const DOCUMENT_POLICY =
  `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; ` +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** `head` and `body` are HTML. */
export const documentPage = (title: string, body: string, head = '') => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
${head}<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
