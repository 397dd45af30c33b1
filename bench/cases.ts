// What is measured: for each case the request, and the target against each server.
import type { ServerName } from './servers.ts';
import type { Organisation } from './setup.ts';

export interface Case {
  readonly name: string;
  /** Who answers beside Atrium. */
  readonly peers: readonly Exclude<ServerName, 'atrium' | 'before'>[];
  /** Least ratio to a peer, and what is aimed at without being required. */
  readonly target: number;
  readonly aim?: number;
  /** Least ratio to its own figure at a thousand rows, where that is another one. */
  readonly ownTarget?: number;
  readonly writes?: boolean;
  readonly connections?: number;
  /** Longer, where a case reads at random what others have pushed out of the database's cache. */
  readonly settle_s?: number;
  requestFor(organisation: Organisation, server: ServerName): () => Buffer;
}

const head = (method: string, path: string, { organisation_id, api_key }: Organisation, more = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nService-Id: ${organisation_id}\r\n` +
  `Authorization: Bearer ${api_key}\r\n${more}\r\n`;
const getWith = (path: string, { narrow_key, ...organisation }: Organisation) =>
  get(path, { ...organisation, narrow_key, api_key: narrow_key });
const get = (path: string, organisation: Organisation) => {
  const request = Buffer.from(head('GET', path, organisation));
  return () => request;
};

export const userPath = (rows: number) => `/v1/users/by-external-id/SEED-${1 + Math.floor(Math.random() * rows)}`;
export const deepSkip = ({ rows }: Organisation) => Math.floor(rows * 0.9);

const paragraph =
  '<p>Every store keeps the plan open and writes down what was agreed before a shift begins, ' +
  'so that nobody has to ask twice.</p>';
const html_content = `<h2>Opening a store</h2>${paragraph.repeat(Math.round(2000 / paragraph.length))}`;
const BOUNDARY = '----bench-7MA4YWxkTrZu0gW';
const part = (name: string, value: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const form = Buffer.from(`${part('title', 'Opening a store')}${part('html_content', html_content)}--${BOUNDARY}--\r\n`);

export const cases: readonly Case[] = [
  {
    name: 'read one user by external id',
    peers: ['postgres', 'constant'],
    target: 0.8,
    aim: 0.35,
    settle_s: 8,
    requestFor: (organisation) => () => Buffer.from(head('GET', userPath(organisation.rows), organisation)),
  },
  {
    name: 'list 50 pages (the peer without a total)',
    peers: ['postgres', 'constant'],
    target: 0.8,
    requestFor: (organisation) => get('/v1/pages?take=50', organisation),
  },
  {
    name: 'list 50 pages with total_records',
    peers: ['postgres'],
    target: 0.8,
    requestFor: (organisation, server) =>
      get(`/v1/pages?take=50${server === 'postgres' ? '&total=1' : ''}`, organisation),
  },
  {
    name: 'list 50 pages, 90 % deep, 4 connections (the peer without a total)',
    peers: ['postgres'],
    target: 0.8,
    // More would only queue up behind the peer's database, for minutes.
    connections: 4,
    requestFor: (organisation) => get(`/v1/pages?take=50&skip=${deepSkip(organisation)}`, organisation),
  },
  {
    name: 'list 40 updates, of which the key sees 40 %',
    peers: [],
    target: 0.8,
    ownTarget: 0.67,
    requestFor: (organisation) => getWith('/v1/updates?take=40', organisation),
  },
  {
    name: 'the last page of them (page 10,000 of a million)',
    peers: [],
    target: 0.8,
    ownTarget: 0.67,
    requestFor: (organisation) =>
      getWith(`/v1/updates?take=40&skip=${Math.floor(organisation.rows * 0.4) - 40}`, organisation),
  },
  {
    name: 'create a page of 2 KB (multipart)',
    peers: ['postgres'],
    target: 0.7,
    writes: true,
    requestFor: (organisation) => {
      const type = `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: ${form.length}\r\n`;
      const request = Buffer.concat([Buffer.from(head('POST', '/v1/pages', organisation, type)), form]);
      return () => request;
    },
  },
];
