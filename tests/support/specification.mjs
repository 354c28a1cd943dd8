// The specification (docs/specification) as tests read it.
import { readFileSync } from 'node:fs';

const folder = new URL('../../docs/specification/', import.meta.url);

/// The text of one of its files.
export const readSpecification = (name) => readFileSync(new URL(name, folder), 'utf8');
