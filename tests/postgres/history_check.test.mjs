// The checker of histories finds what it is there to find.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { History, addSwitch, candidates } from './history_check.mjs';

const historyOf = (...operations) => {
  const history = new History();
  operations.forEach((operation) => history.add(operation));
  return history.contradiction();
};

test('an order that exists is found', () => {
  assert.equal(historyOf(
    { begin: 0, end: 1, read: { x: 'a' }, written: { x: 'b' } },
    { begin: 0, end: 3, read: { x: 'a' } },
    { begin: 2, end: 3, read: { x: 'b' }, written: { x: 'c' } }), undefined);
});

test('a lost update, write skew and a value from nowhere are found', () => {
  assert.match(historyOf(
    { begin: 0, end: 9, read: { x: 'a' }, written: { x: 'b' } },
    { begin: 0, end: 9, read: { x: 'a' }, written: { x: 'c' } }), /lost update/);
  assert.match(historyOf(
    { begin: 0, end: 9, read: { x: 'a', y: 'a' }, written: { x: 'b' } },
    { begin: 0, end: 9, read: { x: 'a', y: 'a' }, written: { y: 'c' } }), /no order/);
  assert.match(historyOf({ begin: 0, end: 1, read: { x: 'a' } }, { begin: 0, end: 1, read: { x: 'b' } }), /nobody wrote/);
});

test('a read of two registers that never were so is found', () => {
  assert.match(historyOf(
    { begin: 0, end: 9, read: { x: 'a' }, written: { x: 'b' } },
    { begin: 0, end: 9, read: { y: 'a', x: 'b' }, written: { y: 'b' } },
    { begin: 0, end: 9, read: { x: 'a', y: 'b' } }), /no order/);
});

test('a stale read is found only when it began after the write had ended', () => {
  const write = { begin: 0, end: 5, read: { x: 'a' }, written: { x: 'b' } };
  assert.equal(historyOf(write, { begin: 4, end: 6, read: { x: 'a' } }), undefined);
  assert.match(historyOf(write, { begin: 6, end: 7, read: { x: 'a' } }), /no order/);
});

test('the states of a switch are told apart by time', () => {
  const writes = [{ begin: 1, end: 2, value: true }, { begin: 3, end: 4, value: false }, { begin: 5, end: 6, value: true }];
  assert.deepEqual(candidates(writes, false, { begin: 0, end: 0.5, value: false }), [-1]);
  assert.deepEqual(candidates(writes, false, { begin: 2.5, end: 2.6, value: true }), [0]);
  assert.deepEqual(candidates(writes, false, { begin: 2.5, end: 2.6, value: false }), []);
  assert.deepEqual(candidates(writes, false, { begin: 1.5, end: 5.5, value: true }), [0, 2]);
  assert.match(addSwitch(new History(), 'g', false, writes, [{ begin: 4.5, end: 4.6, value: true }]), /could not be/);
});
