// What a call was given becomes an address and a body, in the format that the interface documents for the operation.

/** `declared` is a line of operations.js: method, path, format of the body, and of a form the fields that are files. */
export function encoded(operation, declared, request = {}) {
  const [method, path, kind, files = ''] = declared.split(' ');
  const { body, ...given } = request;
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const value = given[name];
    delete given[name];
    // An empty name would be the address of something else.
    if (value === undefined || value === null || value === '') throw new TypeError(`${operation} needs "${name}".`);
    return encodeURIComponent(value);
  });
  const content = body === undefined ? {} : (formats[kind]?.(body, files.split(',')) ?? none(operation));
  return { method, path: url + queryOf(given), ...content };
}

function none(operation) {
  throw new TypeError(`${operation} takes no body.`);
}

function queryOf(given) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && value !== null) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}

const formats = {
  json: (body) => ({ body: JSON.stringify(body), type: 'application/json' }),
  scim: (body) => ({ body: JSON.stringify(body), type: 'application/scim+json' }),
  urlencoded: (body) => ({ body: flat(new URLSearchParams(), '', body) }),
  multipart(body, files) {
    const form = new FormData();
    for (const [name, value] of Object.entries(body)) {
      if (value === undefined) continue;
      if (files.includes(name)) putFiles(form, name, value);
      else put(form, name, value);
    }
    return {
      body: form,
      hasFiles: [...form.values()].some((value) => typeof value !== 'string' && value.size > 65536),
    };
  },
};

const isPlain = (value) =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && !/[\r\n]/.test(value));
/** Forms change line breaks (RFC 7578 4.1) and know neither null nor lists: such a field is a part of JSON. */
function put(form, name, value) {
  if (isPlain(value)) form.append(name, String(value));
  else form.append(name, new Blob([JSON.stringify(value)], { type: 'application/json' }), `${name}.json`);
}

function putFiles(form, name, value) {
  const list = Array.isArray(value) ? value : value === null ? [] : undefined;
  // Nothing, without a file name, empties the field.
  if (list?.length === 0) return form.append(name, '');
  if (!list) return putFile(form, name, value);
  for (const [i, file] of list.entries()) putFile(form, `${name}[${i}]`, file);
}

function putFile(form, name, file) {
  const { content = file, file_name = file.name, content_type = content.type } = file;
  const blob = content instanceof Blob ? content : new Blob([content], { type: content_type ?? '' });
  form.append(name, content_type === blob.type ? blob : blob.slice(0, blob.size, content_type), file_name ?? 'file');
}

/** `ids[0]=1&audience[type]=spaces` */
function flat(query, name, value) {
  if (value === undefined) return query;
  if (typeof value !== 'object' || value === null) query.append(name, value ?? '');
  else for (const [key, one] of Object.entries(value)) flat(query, name === '' ? key : `${name}[${key}]`, one);
  return query;
}
