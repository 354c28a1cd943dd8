// What `node --check` does not see in the scripts of the tests (check_scripts): names that nobody has
// declared, and those that nobody uses.
import globals from 'globals';

export default [{
  files: ['**/*.mjs'],
  languageOptions: { globals: globals.node },
  rules: {
    'no-undef': 'error',
    'no-unused-vars': ['error', { ignoreRestSiblings: true }],
    'no-dupe-keys': 'error',
    'no-unreachable': 'error',
  },
}];
