// A request whose bytes are counted while they leave. Browsers count only what XMLHttpRequest sends; everywhere else
// the body goes through a counter.

/** As `fetch`, of a Blob or a FormData; `onProgress` is told `{ sent, total }`. */
export async function fetchCounted(fetch, url, init, onProgress) {
  if (typeof XMLHttpRequest === 'function') return byXhr(url, init, onProgress);
  const isBlob = init.body instanceof Blob;
  if (isBlob && globalThis.Deno) return whole(fetch, url, init, onProgress);
  // A form is written once, so that its boundary and its bytes belong together.
  const written = isBlob ? undefined : new Response(init.body);
  const total = isBlob ? init.body.size : undefined;
  const headers = isBlob
    ? { ...init.headers, 'content-length': String(total) }
    : { ...init.headers, 'content-type': written.headers.get('content-type') };
  let sent = 0;
  const tell = (bytes) => {
    sent += bytes;
    onProgress({ sent, total });
  };
  const body = inPieces(isBlob ? init.body.stream() : written.body, tell);
  return fetch(url, { ...init, headers, body, duplex: 'half' });
}

/** Deno says no length of what is streamed, and buckets want one. */
async function whole(fetch, url, init, onProgress) {
  const response = await fetch(url, init);
  onProgress({ sent: init.body.size, total: init.body.size });
  return response;
}

const PIECE_BYTES = 64 * 1024;
/** `tell` hears of each piece when it is asked for; some streams come as one large one. */
function inPieces(stream, tell) {
  const reader = stream.getReader();
  let rest = new Uint8Array();
  return new ReadableStream({
    async pull(controller) {
      while (rest.length === 0) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        rest = value;
      }
      const piece = rest.subarray(0, PIECE_BYTES);
      rest = rest.subarray(PIECE_BYTES);
      controller.enqueue(piece);
      tell(piece.length);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function byXhr(url, { method, headers, body, signal, credentials }, onProgress) {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open(method, url);
    xhr.withCredentials = credentials === 'include';
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded, total }) => onProgress({ sent: loaded, total });
    const stop = () => xhr.abort();
    signal?.addEventListener('abort', stop);
    xhr.onloadend = () => {
      signal?.removeEventListener('abort', stop);
      if (xhr.status === 0) return reject(signal?.aborted ? signal.reason : new TypeError('The upload failed.'));
      const answered = xhr.getAllResponseHeaders().trim().split(/\r?\n/).filter(Boolean);
      const pairs = answered.map((line) => [
        line.slice(0, line.indexOf(':')),
        line.slice(line.indexOf(':') + 1).trim(),
      ]);
      resolve(new Response(xhr.status === 204 ? null : xhr.responseText, { status: xhr.status, headers: pairs }));
    };
    xhr.send(body);
  });
}
