import type { Module } from '../../kernel/module.ts';
import { removePicture } from './queries.ts';
import { mountPictures } from './routes.ts';

export const pictures: Module = { name: 'pictures', jobs: [removePicture], mount: mountPictures };
