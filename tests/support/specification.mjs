// The specification, which lies beside the checkout: ../shared, or the folder STELE_SHARED.
import { readFileSync } from 'node:fs';

const shared = process.env.STELE_SHARED ?? new URL('../../../shared', import.meta.url).pathname;

/// The text of a file of the interface.
export const readSpecification = (name) => readFileSync(`${shared}/interface/${name}`, 'utf8');
