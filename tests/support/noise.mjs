import { randomBytes } from 'node:crypto';

/// So many characters that no packing makes fewer: they take as much room in a store as they have.
export const noise = (length) => randomBytes(length).toString('base64').slice(0, length);
