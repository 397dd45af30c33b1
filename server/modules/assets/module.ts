import type { Module } from '../../kernel/module.ts';
import { everybodysFamily } from '../../kernel/people/scopes.ts';
import { mountedFiles, mountFiles } from './files.ts';
import { sealFormerKeys } from './former-keys.ts';
import { removeFile, removeUnused } from './queries.ts';
import { sumUpUploads } from './quota.ts';
import { assetRoutes } from './routes.ts';
import { endUpload } from './uploads.ts';

export const assets: Module = {
  name: 'assets',
  tables: ['assets', 'content_files', 'upload_totals', 'upload_changes'],
  routes: [assetRoutes],
  jobs: [removeUnused, removeFile, endUpload],
  chores: [sealFormerKeys, sumUpUploads],
  mount: mountFiles,
  alsoMounted: mountedFiles,
  contributes: [everybodysFamily('assets')],
};
