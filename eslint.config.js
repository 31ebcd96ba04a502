import js from '@eslint/js'
import tseslint from 'typescript-eslint'
import { fenceRule } from './scripts/lib/fence-rule.mjs'
import { systemDbRule } from './scripts/lib/system-db-rule.mjs'
import { textsRule } from './scripts/lib/texts-rule.mjs'

/** Keeps packages out of a room that does no input or output; test/unit/fences.test.ts tries it. */
const withoutPackages = (room, group) => ({
  files: [`src/${room}/**/*.ts`],
  rules: {
    '@typescript-eslint/no-restricted-imports': [
      'error',
      { patterns: [{ group, message: `${room} does no input or output.` }] },
    ],
  },
})

/** An object that is spread only to share a line: its properties belong beside the others. */
const SPREAD_OF_AN_OBJECT = {
  selector: "SpreadElement[argument.type='ObjectExpression']",
  message: 'Write the properties of the object as they are, a line each if they are many.',
}

/** A list that only spreads another one. */
const SPREAD_OF_A_LIST = {
  selector: "ArrayExpression[elements.length=1] > SpreadElement[argument.type='ArrayExpression']",
  message: 'Write the elements of the inner list as they are.',
}

export default tseslint.config(
  // Oxlint tries what is no rule of this house alone, and reads types for it, in a tenth of the time: .oxlintrc.json.
  { ignores: ['node_modules', 'dist', '.data', 'coverage', 'test/histories'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: { parser: tseslint.parser },
    plugins: { '@typescript-eslint': tseslint.plugin },
  },
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.mjs', '**/*.js'],
    rules: { 'no-restricted-syntax': ['error', SPREAD_OF_AN_OBJECT, SPREAD_OF_A_LIST] },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/config/index.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        SPREAD_OF_AN_OBJECT,
        SPREAD_OF_A_LIST,
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'src/config/index.ts is the only reader of the environment.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { house: { rules: { fence: fenceRule, 'system-db': systemDbRule } } },
    rules: { 'house/fence': 'error', 'house/system-db': 'error' },
  },
  withoutPackages('domain', [
    'node:*',
    '!node:crypto',
    '!node:net',
    '!node:buffer',
    'knex',
    'koa',
    'pino',
    'undici',
    '@temporalio/*',
  ]),
  withoutPackages('presenters', [
    'node:*',
    '!node:buffer',
    '!node:crypto',
    'knex',
    'koa',
    'pino',
    'undici',
    '@temporalio/*',
  ]),
  withoutPackages('workflows', ['node:*', 'knex', 'koa', 'pino', 'undici', 'joi', 'ipaddr.js']),
  {
    files: ['web/**/*.ts', 'web/**/*.tsx'],
    rules: {
      // The page and the service know each other by the wire only.
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['**/src/**', 'node:*'],
              message: 'web imports nothing of the service, and nothing of Node.',
            },
          ],
        },
      ],
    },
  },
  {
    // All texts of a screen stand in one file beside it, ready for translation.
    files: ['web/src/**/*.ts', 'web/src/**/*.tsx'],
    ignores: [
      '**/texts.ts',
      'web/src/theme.ts',
      'web/src/common/api/wire.ts',
      // Programs and requests, not sentences.
      'web/src/keys/key-uses.ts',
      'web/src/webhooks/verify-snippets.ts',
      'web/src/deliveries/curl.ts',
      'web/src/deliveries/request-text.ts',
    ],
    plugins: { console: { rules: { texts: textsRule } } },
    rules: { 'console/texts': 'error' },
  },
  {
    // Runs in Node, at the time of the build.
    files: ['web/vite.config.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': 'off' },
  },
  {
    files: ['src/*.ts', 'src/process/**/*.ts'],
    ignores: ['src/process/temporal/worker.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['@temporalio/worker'],
              message:
                'It is large and native: only src/process/temporal/worker.ts loads it, so that api and command line do not.',
              allowTypeImports: true,
            },
          ],
        },
      ],
    },
  },
  {
    files: ['scripts/**/*.mjs', 'eslint.config.js'],
    extends: [js.configs.recommended],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        setImmediate: 'readonly',
        fetch: 'readonly',
        AbortSignal: 'readonly',
        AbortController: 'readonly',
        performance: 'readonly',
      },
    },
    rules: {
      'max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      // Works run side by side there: no sum may be read before an await and written after it.
      'require-atomic-updates': 'error',
    },
  },
)
