#!/usr/bin/env node
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch } from './launch.mjs';

launch([join(dirname(fileURLToPath(import.meta.url)), '..', 'cli.ts'), ...process.argv.slice(2)]);
