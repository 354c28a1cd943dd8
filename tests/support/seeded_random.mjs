// What tests of chance make, decided by a seed alone: the same seed makes the same everywhere.
import { repetitions } from './repetitions.mjs';

/// The seeds of a test: `usual` fixed ones, more with STELE_LONG=1; the one of STELE_SEED repeats a failure.
export const seeds = (usual) => process.env.STELE_SEED ? [Number(process.env.STELE_SEED)] : Array.from({ length: repetitions(usual) }, (_, i) => i + 1);

const kWords = ['apple', 'Birne', 'citron', 'dátil', 'ëlder', 'fíg', 'grape', 'いちご', 'лимон', '🍉 melon', 'nut', 'o\'range', 'plum "x"', 'quince/pear', 'a\\b', 'rye & oat', '<sloe>', 'tea\ttree', 'two\nlines', '%41'];

export class SeededRandom {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  /// From 0 to 1 (mulberry32).
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(count) {
    return Math.floor(this.next() * count);
  }

  chance(probability) {
    return this.next() < probability;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /// Some of a list, in its order.
  some(list, probability = 0.5) {
    return list.filter(() => this.chance(probability));
  }

  word() {
    return this.pick(kWords);
  }

  text() {
    return Array.from({ length: 1 + this.below(4) }, () => this.word()).join(' ');
  }

  bytes(size) {
    return Buffer.from(Array.from({ length: size }, () => this.below(256)));
  }

  /// Any JSON value.
  json(depth = 3) {
    const kind = this.below(depth > 0 ? 9 : 7);
    if (kind === 0) return this.chance(0.5);
    if (kind === 1) return this.below(1000) - 500;
    if (kind === 2) return (this.below(2000) - 1000) / 8;
    if (kind === 3) return Number.MAX_SAFE_INTEGER - this.below(100);
    if (kind === 4) return '';
    if (kind < 7) return this.text();
    if (kind === 7) return Array.from({ length: this.below(4) }, () => this.json(depth - 1));
    return this.members('inner', depth - 1);
  }

  /// An object whose members begin with a word.
  members(word, depth = 3) {
    return Object.fromEntries(Array.from({ length: this.below(4) }, (_, i) => [`${word}${i}`, this.json(depth)]));
  }
}
